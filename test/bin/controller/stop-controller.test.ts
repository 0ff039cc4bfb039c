import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STOPPED, stopController } from '../../../bin/controller/stop-controller.ts'
import { Leader } from '../../../src/ground/loop/leader.ts'
import { Reconciler } from '../../../src/ground/loop/reconciler.ts'
import { LEADER_LEASE } from '../../support/candidate.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** A controller that leads and has one effect under way, which takes so long. */
async function aController(effectMs: number) {
  const clock = new VirtualClock()
  const store = new LeaseStore(clock)
  const random = new SeededRandom(1)
  const holder = (): string | undefined => store.get(LEADER_LEASE)?.holder
  const leader: Leader = new Leader({
    cluster: store.client(),
    clock,
    random,
    lease: LEADER_LEASE,
    identity: 'a',
    durationMs: 15_000,
    onChange: () => reconciler.add('k'),
  })
  const ended: { readonly how: string; readonly holder: string | undefined }[] = []
  const reconciler: Reconciler<object, string> = new Reconciler({
    leader,
    clock,
    random,
    log: { debug: () => undefined, warn: () => undefined },
    sweepMs: 60_000,
    loop: {
      name: 'a',
      gather: async () => ({}),
      decide: () =>
        ended.length === 0 ? { kind: 'act', actions: ['patch'], reasons: [] } : { kind: 'settled', reasons: [] },
      perform: (_, signal) =>
        clock.sleep(effectMs, signal).then(
          () => void ended.push({ how: 'done', holder: holder() }),
          (error: unknown) => {
            ended.push({ how: 'broken off', holder: holder() })
            throw error
          },
        ),
    },
  })
  const [life, leading] = [new AbortController(), new AbortController()]
  const led = leader.run(leading.signal)
  const working = reconciler.run(life.signal)
  for (const each of [led, working]) each.catch((error: unknown) => assert.equal(error, STOPPED))
  await clock.advance(1_000)
  const stop = () =>
    stopController(
      { leader, led, leading, loops: [reconciler], working, life, closePages: () => Promise.resolve() },
      clock,
    )
  return { clock, ended, holder, stop }
}

test('a controller that is stopped finishes its effect, and then gives its Lease back', async () => {
  const { clock, ended, holder, stop } = await aController(3_500)
  const stopped = stop()
  await clock.advance(2_600)
  assert.deepEqual(ended, [{ how: 'done', holder: 'a' }])
  assert.deepEqual([await stopped, holder()], [[], ''])
})

test('an effect that is not over in time is broken off, and the Lease stays with its holder until it lapses', async () => {
  const { clock, ended, holder, stop } = await aController(9_000)
  const stopped = stop()
  await clock.advance(3_100)
  assert.deepEqual(ended, [{ how: 'broken off', holder: 'a' }])
  assert.deepEqual(
    (await stopped).map(({ name }) => name),
    ['the loops'],
  )
  assert.equal(holder(), 'a')
})
