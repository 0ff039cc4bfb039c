import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { aLoop, WHY } from '../../support/a-loop.ts'

const never = new AbortController().signal

const forbidden = new WorldError('not that one', { code: 'KUBE_FORBIDDEN', retry: 'never' })
const unreachable = new WorldError('nothing answers', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })

interface Scene {
  readonly actions: readonly string[]
  /** What becomes of an action that is not done. */
  readonly fails: Readonly<Record<string, WorldError>>
}

/** A loop that decides the same in each pass. */
function aRefusedLoop({ actions, fails }: Scene) {
  const done: string[] = []
  const tried: string[] = []
  const parts = aLoop({
    decide: () => ({ kind: 'act', actions, reasons: WHY }),
    perform: async (action) => {
      tried.push(action)
      const error = fails[action]
      if (error !== undefined) throw error
      done.push(action)
    },
    isRefusal: (error) => 'code' in error && error.code === 'KUBE_FORBIDDEN',
  })
  void parts.reconciler.run(never)
  parts.reconciler.add('k')
  return { ...parts, done, tried }
}

test('what is refused keeps nothing after it from being done, and the pass fails by the first of it', async () => {
  const other = new WorldError('nor that one', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const fails = { b: forbidden, c: other }
  const { clock, done, reconciler, warned } = aRefusedLoop({ actions: ['a', 'b', 'c', 'd'], fails })
  await clock.advance(10)
  assert.deepEqual(done, ['a', 'd'])
  const { failures, trouble } = reconciler.status()
  assert.deepEqual([failures, trouble], [1, 'not that one'])
  assert.deepEqual(warned, [['countdown: a pass failed', { key: 'k', reason: 'not that one' }]])
})

test('an API server that cannot be reached ends a pass at once, also after a refusal', async () => {
  const { clock, tried, reconciler } = aRefusedLoop({
    actions: ['a', 'b', 'c'],
    fails: { a: forbidden, b: unreachable },
  })
  await clock.advance(10)
  assert.deepEqual([tried, reconciler.status().trouble], [['a', 'b'], 'nothing answers'])
})

test('a process that leads no more does nothing after a refusal', async () => {
  const tried: string[] = []
  const { clock, world, reconciler } = aLoop({
    decide: () => ({ kind: 'act', actions: ['a', 'b'], reasons: WHY }),
    perform: async (action) => {
      tried.push(action)
      world.mayActForMs = 0
      throw forbidden
    },
    isRefusal: () => true,
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(10)
  assert.deepEqual([tried, reconciler.status().failures], [['a'], 0])
})

test('a pass that is stopped after a refusal does nothing more', async () => {
  const stop = new AbortController()
  const tried: string[] = []
  const { clock, reconciler } = aLoop({
    decide: () => ({ kind: 'act', actions: ['a', 'b'], reasons: WHY }),
    perform: async (action) => {
      tried.push(action)
      stop.abort(new Error('SIGTERM'))
      throw forbidden
    },
    isRefusal: () => true,
  })
  const running = assert.rejects(reconciler.run(stop.signal), /SIGTERM/)
  reconciler.add('k')
  await clock.advance(10)
  await running
  assert.deepEqual(tried, ['a'])
})

test('where all is refused, a pass tries fifty and comes again after a pause', async () => {
  const actions = Array.from({ length: 5_000 }, (_, at) => `take ${at}`)
  const fails = Object.fromEntries(actions.map((action) => [action, forbidden]))
  const { clock, tried } = aRefusedLoop({ actions, fails })
  await clock.advance(10)
  assert.equal(tried.length, 50)
  await clock.advance(60_000)
  assert.ok(tried.length > 300 && tried.length < 1_500, `${tried.length}`)
})

test('of refusals that take long, a pass tries five', async () => {
  const actions = Array.from({ length: 100 }, (_, at) => `take ${at}`)
  const tried: string[] = []
  const { clock, reconciler } = aLoop({
    decide: () => ({ kind: 'act', actions, reasons: WHY }),
    perform: async (action) => {
      tried.push(action)
      throw forbidden
    },
    isRefusal: () => true,
    isSlow: () => true,
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(10)
  assert.deepEqual(tried, actions.slice(0, 5))
})

test('of effects that are not answered in time, a pass tries one, after all that came before it', async () => {
  const tried: string[] = []
  const { clock, reconciler } = aLoop({
    decide: () => ({ kind: 'act', actions: ['a', 'b', 'c'], reasons: WHY }),
    perform: (action) => {
      tried.push(action)
      return action === 'a' ? Promise.resolve() : new Promise(() => undefined)
    },
    isRefusal: () => true,
    isSlow: () => true,
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(10_000)
  assert.deepEqual(tried.slice(0, 2), ['a', 'b'])
  assert.ok(!tried.includes('c'), 'what follows would go by a look that is ten seconds old')
  assert.equal(reconciler.status().failures, 1)
})

test('where something was done beside what was refused, the next step does not wait for the pause', async () => {
  const { clock, world } = aRefusedLoop({ actions: ['a', 'b'], fails: { a: forbidden } })
  await clock.advance(1_000)
  assert.ok(world.looks > 30, `${world.looks}`)
})

const asked = (code: string) => new WorldError(code, { code, retry: 'backoff', retryAfterMs: 60_000 })

for (const [what, scene, fewest, most] of [
  ['one write of several', { actions: ['a', 'b'], fails: { a: asked('KUBE_FORBIDDEN') } }, 31, 300],
  ['its only write', { actions: ['a'], fails: { a: asked('KUBE_FORBIDDEN') } }, 4, 30],
  ['all writes', { actions: ['a', 'b'], fails: { b: asked('KUBE_THROTTLED') } }, 1, 1],
] as const)
  test(`a server that asks ${what} to wait has that for an answer, and holds up nothing else`, async () => {
    const { clock, world, reconciler } = aRefusedLoop(scene)
    for (let n = 0; n < 10; n += 1) {
      await clock.advance(n === 0 ? 100 : 300)
      if (n > 0 && scene.actions.length === 2) reconciler.add('k')
    }
    await clock.advance(3_000)
    assert.ok(world.looks >= fewest && world.looks <= most, `${world.looks} passes`)
  })

test('a status that the server asks to wait for is not written before, though the pass goes on to its actions', async () => {
  const told: number[] = []
  const { clock, reconciler, world } = aLoop({
    decide: () => ({ kind: 'act', actions: ['a'], reasons: WHY }),
    perform: async () => {
      throw forbidden
    },
    tell: async () => {
      told.push(world.looks)
      throw asked('KUBE_THROTTLED')
    },
    isRefusal: () => true,
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(30_000)
  reconciler.add('k')
  await clock.advance(29_000)
  assert.deepEqual(told, [1])
})

test('a loop that knows no refusals ends a pass by the first failure', async () => {
  const tried: string[] = []
  const { clock, reconciler } = aLoop({
    decide: () => ({ kind: 'act', actions: ['a', 'b'], reasons: WHY }),
    perform: async (action) => {
      tried.push(action)
      throw forbidden
    },
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(10)
  assert.deepEqual(tried, ['a'])
})
