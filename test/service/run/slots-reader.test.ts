import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '../../../src/ground/model/lease.ts'
import { type ObjectRef, refKey } from '../../../src/ground/model/object-ref.ts'
import { LIVES_BY_ANNOTATION, slotRef } from '../../../src/ground/model/slot.ts'
import { SlotsReader } from '../../../src/service/run/slots-reader.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const LED_BY: ObjectRef = { namespace: 'evenkeel', name: 'evenkeel-controller' }

const lease = (ref: ObjectRef, annotations: Lease['annotations'] = {}): Lease => ({
  ...ref,
  resourceVersion: '',
  holder: 'controller/pod-1',
  durationSeconds: 120,
  renewTime: '2026-01-01T00:00:00Z',
  transitions: 0,
  annotations,
})

/** All of so many slots are held by one controller; what an API server sees of one reading that asks for them. */
async function readAll(count: number) {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  store.put(lease(LED_BY))
  for (let index = 0; index < count; index += 1)
    store.put(lease(slotRef('evenkeel', index), { [LIVES_BY_ANNOTATION]: refKey(LED_BY) }))
  const asked: string[] = []
  let open = 0
  let mostAtOnce = 0
  const readLease = async (ref: ObjectRef): Promise<Lease | undefined> => {
    asked.push(ref.name)
    open += 1
    mostAtOnce = Math.max(mostAtOnce, open)
    await clock.sleep(5, never)
    open -= 1
    return store.get(ref)
  }
  const reader = new SlotsReader({ cluster: { readLease }, clock, namespace: 'evenkeel', durationMs: 120_000 })
  const reading = reader.read(count, never)
  await clock.advance(60_000)
  const seen = (await reading).map(({ index, isStale }) => [index, isStale])
  return { seen, asked, mostAtOnce }
}

test('many slots are all read, and an API server has few of the requests at a time', async () => {
  const { seen, mostAtOnce } = await readAll(50)
  assert.deepEqual(
    seen,
    Array.from({ length: 50 }, (_, index) => [index, false]),
  )
  assert.ok(mostAtOnce <= 8, `${mostAtOnce} at once`)
})

test('the Lease that many slots live by is asked for once a reading', async () => {
  const { asked } = await readAll(50)
  assert.equal(asked.filter((name) => name === LED_BY.name).length, 1)
})
