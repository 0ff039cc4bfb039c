import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnedLoop } from '../../../../src/ground/loop/owned/owned-loop.ts'
import { RefusedWrites } from '../../../../src/ground/loop/owned/refused-writes.ts'
import type { LoopDecision } from '../../../../src/ground/model/loop-decision.ts'
import type { Reason } from '../../../../src/ground/model/reason.ts'
import { SeededRandom } from '../../../support/seeded-random.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

const never = new AbortController().signal

/** What is wanted in each pass is done, and the cache shows the world as it was. */
function aScene(wanted: readonly string[]) {
  const clock = new VirtualClock()
  const random = new SeededRandom(1)
  const world = { wanted, done: [] as string[], uid: 'first', said: [] as readonly Reason[], passes: 0 }
  const keyOf = (action: string): string => action
  const loop = new OwnedLoop<readonly string[], string>({
    ...{
      clock,
      random,
      log: { debug: () => undefined, warn: () => undefined },
      leader: { mayActForMs: () => 60_000 },
      refused: new RefusedWrites(keyOf),
    },
    system: {
      ...{ name: 'toy', keyOf, isKnown: () => true, takesOut: () => false, objectOf: () => world.uid },
      gather: async () => world.wanted,
      gatherFresh: async () => world.wanted,
      decide: (actions): LoopDecision<string> =>
        actions.length === 0 ? { kind: 'settled', reasons: [] } : { kind: 'act', actions, reasons: [] },
      subjectOf: () => ({ uid: 'u', generation: 1 }),
      perform: async (action) => {
        world.done.push(action)
      },
      tell: async (_seen, { reasons }) => {
        world.said = reasons
        world.passes += 1
      },
      againInMs: () => undefined,
    },
  })
  void loop.run(never)
  loop.add('k')
  return { clock, loop, world }
}

test('law: an act that changed nothing that is seen is repeated later each time; whatever else wakes the loop', async () => {
  const { clock, loop, world } = aScene(['delete gate'])
  await clock.advance(1_000)
  assert.ok(world.done.length <= 11, `${world.done.length} in the first second`)
  await clock.advance(59_000)
  const before = world.done.length
  for (let second = 0; second < 60; second += 1) {
    loop.changed('k')
    await clock.advance(1_000)
  }
  assert.ok(world.done.length - before <= 6, `${world.done.length - before} in a later minute`)
  await clock.advance(3_600_000)
  const last = world.done.length
  await clock.advance(3_600_000)
  assert.ok(world.done.length - last <= 12, `${world.done.length - last} in a later hour`)
})

test('what is set back each time is said in the same words, and what else is due is looked at meanwhile', async () => {
  const { clock, loop, world } = aScene(['scale n1'])
  await clock.advance(2_000)
  assert.deepEqual(world.said, [])
  await clock.advance(3_600_000)
  const passes = world.passes
  await clock.advance(60_000)
  assert.ok(world.passes - passes >= 5, `${world.passes - passes} passes in a minute`)
  assert.deepEqual(
    world.said.map(({ code, object }) => `${code} ${object}`),
    ['WriteUndone n1'],
  )
  world.wanted = []
  loop.add('k')
  await clock.advance(100)
  assert.deepEqual(world.said, [])
})

test('what waits keeps nothing else from being done, and what was not wanted meanwhile is done at once again', async () => {
  const { clock, loop, world } = aScene(['delete gate'])
  await clock.advance(60_000)
  world.done = []
  world.wanted = ['delete gate', 'create gate']
  loop.add('k')
  await clock.advance(10)
  assert.deepEqual(world.done, ['create gate'])
  world.wanted = []
  loop.add('k')
  await clock.advance(100)
  world.done = []
  world.wanted = ['delete gate']
  loop.add('k')
  await clock.advance(10)
  assert.deepEqual(world.done, ['delete gate'])
})

test('what was done to an object in vain keeps nothing back from one that was made anew under its name', async () => {
  const { clock, loop, world } = aScene(['delete gate'])
  await clock.advance(60_000)
  world.done = []
  world.uid = 'second'
  loop.add('k')
  await clock.advance(10)
  assert.deepEqual(world.done, ['delete gate'])
})
