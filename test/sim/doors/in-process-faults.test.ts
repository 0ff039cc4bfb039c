import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { inProcessApi } from '../../../src/sim/doors/in-process-api.ts'
import { machineHost } from '../../../src/sim/doors/machine-host.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

const never = new AbortController().signal

const timeAndWorld = () => {
  const time = new VirtualTime({ startAt: wallMs(0), turns: turnsOfLoop })
  return { time, world: { store: new Store(), clock: time, random: new SeededRandom('doors') } }
}

test('a write whose answer is cut is carried out, and the body breaks off in the middle', async () => {
  const { time, world } = timeAndWorld()
  const api = inProcessApi({ world, timers: time, latencyMs: 3, passageOf: () => ({ kind: 'cut' }) })
  const body = JSON.stringify({ metadata: { name: 'made' } })
  const head = await time.settle(
    api({}, { method: 'POST', target: '/api/v1/namespaces', headers: {}, body }, never),
    10,
  )
  assert.equal(head.statusCode, 201)
  assert.equal(world.store.get(NAMESPACES, { name: 'made' })?.metadata.name, 'made')
  let text = ''
  await assert.rejects(async () => {
    for await (const chunk of head) text += String(chunk)
  }, /ECONNRESET/)
  assert.match(text, /^\{/)
  assert.throws(() => JSON.parse(text), SyntaxError)
})

test('a watch that breaks off at its first event, while it is being opened, ends with that error and follows nothing', async () => {
  const { time, world } = timeAndWorld()
  const metadata = { name: 'there', uid: 'u1', resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' }
  world.store.put(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata })
  const api = inProcessApi({
    world,
    timers: time,
    latencyMs: 3,
    passageOf: () => ({ kind: 'passes', watch: () => 'cut' }),
  })
  const target = '/api/v1/namespaces?watch=true'
  const reading = api({}, { method: 'GET', target, headers: {} }, never).then((head) => Readable.from(head).toArray())
  await assert.rejects(time.settle(reading, 10), /ECONNRESET/)
})

test('a reboot that is taken and ignored is answered as sent, and the machine runs on', async () => {
  const { time } = timeAndWorld()
  const noted: string[] = []
  const machine = { isOn: true, bootId: 'boot-1', rebootRequired: undefined, reboot: () => noted.push('reboot') > 0 }
  const host = machineHost({
    timers: time,
    machineOf: () => machine,
    latencyMs: 300,
    limitMs: 30_000,
    luckOf: () => 'ignored',
  })
  const answer = await time.settle(host.reboot({ node: 'n1', address: '192.0.2.1' }, 'boot-1', never), 1_000)
  assert.deepEqual(answer, { kind: 'sent' })
  assert.deepEqual(noted, [])
})
