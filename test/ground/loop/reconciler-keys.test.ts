import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reconciler } from '../../../src/ground/loop/reconciler.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { aLoop, SETTLED } from '../../support/a-loop.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

test('many keys are worked on at a time, and no key twice', async () => {
  const under = new Map<string, number>()
  const seen = { most: 0, twice: false }
  const clock = new VirtualClock()
  const begin = async (key: string, signal: AbortSignal): Promise<number> => {
    under.set(key, (under.get(key) ?? 0) + 1)
    seen.most = Math.max(seen.most, under.size)
    seen.twice ||= [...under.values()].some((count) => count > 1)
    await clock.sleep(100, signal)
    under.delete(key)
    return 0
  }
  const reconciler = new Reconciler<number, string>({
    loop: { name: 'many', gather: begin, decide: () => SETTLED, perform: async () => undefined },
    leader: { mayActForMs: () => 10_000 },
    clock,
    random: new SeededRandom(1),
    log: { debug: () => undefined, warn: () => undefined },
    sweepMs: 60_000,
    workers: 3,
  })
  void reconciler.run(never)
  for (const key of ['a', 'b', 'c', 'd']) reconciler.add(key)
  await clock.advance(50)
  for (const key of ['a', 'b', 'c', 'd']) reconciler.add(key)
  await clock.advance(1_000)
  assert.deepEqual([seen, reconciler.status().passes], [{ most: 3, twice: false }, 7])
})

test('a key that stands for nothing is not decided upon, and is looked at again only when it is added', async () => {
  const decided: string[] = []
  const { clock, world, reconciler } = aLoop({
    gather: async () => {
      world.looks += 1
      return undefined
    },
    decided: (key) => decided.push(key),
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(1_000_000)
  assert.deepEqual([world.looks, decided, reconciler.status().depth], [1, [], 0])
  reconciler.add('k')
  await clock.advance(10)
  assert.equal(world.looks, 2)
})

test('a decision is reported before it is done, and a report that fails keeps nothing from being done', async () => {
  const order: string[] = []
  let failing = true
  const { clock, world, reconciler } = aLoop({
    tell: async ({ key, snapshot, decision }) => {
      order.push(`tell ${key} ${snapshot} ${decision.kind}`)
      if (failing) throw new WorldError('the status changed', { code: 'KUBE_CONFLICT', retry: 'now' })
    },
    perform: async (action) => {
      order.push(action)
      world.left -= 1
    },
  })
  world.left = 1
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(10)
  assert.deepEqual(order.splice(0), ['tell k 1 act', 'take 1'])
  const { failures, trouble } = reconciler.status()
  assert.deepEqual([failures, trouble], [1, 'the status changed'])
  failing = false
  await clock.advance(1_000)
  assert.deepEqual(order, ['tell k 0 settled'])
  assert.equal(reconciler.status().trouble, undefined)
})

test('law: a controller that does not lead writes nothing; no status either', async () => {
  let tells = 0
  const { clock, world, reconciler } = aLoop({
    gather: async () => {
      world.mayActForMs = 0
      return 1
    },
    tell: async () => {
      tells += 1
    },
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(1_000)
  assert.deepEqual([tells, world.done], [0, []])
})

test('the trouble of one key stays while other keys succeed, and one reason is logged once for all keys', async () => {
  const ill = new Set(['a', 'b'])
  const { clock, reconciler, warned } = aLoop({
    gather: async (key) => {
      if (ill.has(key)) throw new WorldError('forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })
      return 0
    },
  })
  void reconciler.run(never)
  for (const key of ['a', 'b', 'c']) reconciler.add(key)
  await clock.advance(10_000)
  assert.equal(reconciler.status().trouble, 'forbidden')
  assert.deepEqual(warned, [['countdown: a pass failed', { key: 'a', reason: 'forbidden' }]])
  ill.delete('a')
  await clock.advance(20_000)
  assert.equal(reconciler.status().trouble, 'forbidden')
  ill.delete('b')
  await clock.advance(20_000)
  assert.equal(reconciler.status().trouble, undefined)
})

test('a trouble that passed is logged when it comes again', async () => {
  let failing = true
  const { clock, reconciler, warned } = aLoop({
    gather: async () => {
      if (failing) throw new WorldError('away', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
      return 0
    },
  })
  void reconciler.run(never)
  for (const isFailing of [true, false, true]) {
    failing = isFailing
    reconciler.add('k')
    await clock.advance(20_000)
  }
  assert.equal(warned.length, 2)
})
