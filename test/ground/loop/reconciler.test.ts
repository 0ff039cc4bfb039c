import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { aLoop, WHY } from '../../support/a-loop.ts'

const never = new AbortController().signal

test('a key is worked on until nothing is left to do, and swept later', async () => {
  const { clock, world, reconciler } = aLoop()
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(1_000)
  assert.deepEqual(world.done, ['take 3', 'take 2', 'take 1'])
  assert.equal(reconciler.status().passes, 4)
  await clock.advance(80_000)
  assert.equal(reconciler.status().passes, 5)
})

test('law: a controller that does not lead writes nothing; it does not even look, and nothing is done from the moment on that it may not', async () => {
  const { clock, world, reconciler } = aLoop()
  void reconciler.run(never)
  world.mayActForMs = 0
  reconciler.add('k')
  await clock.advance(100_000)
  assert.deepEqual([world.looks, world.done], [0, []])
  const late = aLoop({
    gather: async () => {
      late.world.mayActForMs = 0
      return 1
    },
  })
  void late.reconciler.run(never)
  late.reconciler.add('k')
  await late.clock.advance(100_000)
  assert.deepEqual(late.world.done, [])
})

test('an effect that hangs is given up before the leader’s time is over', async () => {
  const { clock, world, reconciler } = aLoop({
    perform: (_action, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  })
  world.mayActForMs = 700
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(699)
  assert.equal(reconciler.status().underWay, 1)
  await clock.advance(1)
  assert.equal(reconciler.status().underWay, 0)
  assert.equal(reconciler.status().trouble, 'countdown: an effect did not answer within 700 ms')
})

test('a pass that the world fails comes again after a pause, with nothing done twice, and its trouble is reported until it passes', async () => {
  let failing = true
  const { clock, world, reconciler, warned } = aLoop({
    perform: async (action) => {
      if (failing) throw new WorldError('nobody answers', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
      world.left -= 1
      world.done.push(action)
    },
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(60_000)
  const { failures, trouble } = reconciler.status()
  assert.ok(failures >= 6 && failures < 30, `${failures}`)
  assert.equal(trouble, 'nobody answers')
  assert.deepEqual(warned, [['countdown: a pass failed', { key: 'k', reason: 'nobody answers' }]])
  failing = false
  await clock.advance(20_000)
  assert.deepEqual(world.done, ['take 3', 'take 2', 'take 1'])
  assert.equal(reconciler.status().trouble, undefined)
})

test('a hold is looked at again when it said so', async () => {
  const { clock, world, reconciler } = aLoop({
    decide: () => ({ kind: 'hold', reasons: WHY, recheckAfterMs: 1_000 }),
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(10_000)
  assert.ok(world.looks >= 8 && world.looks <= 11, `${world.looks}`)
})

test('stopped, it ends the pass that is under way and begins no other', async () => {
  const { clock, world, reconciler } = aLoop({
    perform: async (action, signal) => {
      await clock.sleep(500, signal)
      world.left -= 1
      world.done.push(action)
    },
  })
  const running = reconciler.run(never)
  reconciler.add('k')
  await clock.advance(100)
  const stopping = reconciler.stop()
  await clock.advance(10_000)
  await Promise.all([stopping, running])
  assert.deepEqual(world.done, ['take 3'])
  assert.equal(clock.sleeping(), 0)
})

test('a bug in a loop ends it', async () => {
  const { clock, reconciler } = aLoop({ decide: () => assert.fail('a bug') })
  const running = assert.rejects(reconciler.run(never), /a bug/)
  reconciler.add('k')
  await clock.advance(10)
  await running
})

test('the view counts passes and their time, and leaves out what is not known yet', async () => {
  const { clock, reconciler } = aLoop({
    gather: async (_key, signal) => {
      await clock.sleep(300, signal)
      return 0
    },
  })
  const before = { name: 'countdown', passes: 0, failures: 0, spentMs: 0, lastPassMs: 0, depth: 0, underWay: 0 }
  await clock.advance(1_000)
  assert.deepEqual(reconciler.status(), before)
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(350)
  assert.deepEqual(reconciler.status(), {
    ...before,
    passes: 1,
    spentMs: 300,
    lastPassMs: 300,
    depth: 1,
    endedAgoMs: 50,
  })
  reconciler.add('l')
  await clock.advance(300)
  assert.deepEqual(reconciler.status(), {
    ...before,
    passes: 2,
    spentMs: 600,
    lastPassMs: 300,
    depth: 2,
    endedAgoMs: 0,
  })
})

test('a reading that hangs is given up after 15 s', async () => {
  const { clock, reconciler } = aLoop({ gather: () => new Promise(() => undefined) })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(15_000)
  assert.equal(reconciler.status().trouble, 'countdown: reading did not answer within 15000 ms')
})

test('a pass that the world asks to wait with does not come before', async () => {
  const { clock, world, reconciler } = aLoop({
    perform: async () => {
      const busy = { code: 'KUBE_THROTTLED', retry: 'backoff', retryAfterMs: 30_000 } as const
      throw new WorldError('too many requests', busy)
    },
  })
  void reconciler.run(never)
  reconciler.add('k')
  await clock.advance(29_999)
  assert.equal(world.looks, 1)
  await clock.advance(201)
  assert.equal(world.looks, 2)
})

test('a pass that ends because the loop is stopped is no failure', async () => {
  const stop = new AbortController()
  const { clock, reconciler, warned } = aLoop({
    gather: (_key, signal) =>
      new Promise((_, reject) => {
        const cut = new WorldError('cut off', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
        signal.addEventListener('abort', () => reject(cut), { once: true })
      }),
  })
  const running = assert.rejects(reconciler.run(stop.signal), /SIGTERM/)
  reconciler.add('k')
  await clock.advance(100)
  stop.abort(new Error('SIGTERM'))
  await running
  assert.deepEqual([reconciler.status().failures, warned], [0, []])
})
