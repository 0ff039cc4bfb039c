import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueHeap } from '../../../src/ground/loop/due-heap.ts'
import { type Work, WorkQueue, type WorkResult } from '../../../src/ground/loop/work-queue.ts'
import { OVER } from '../../../src/ground/model/over.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const DONE: WorkResult = { kind: 'done' }
const FAILED: WorkResult = { kind: 'failed' }

/** A queue whose work takes as long as the test says, and what happened: `12 begin a`. */
function aQueue({ workers = 1, takesMs = 10, result = () => DONE }: Partial<QueueFacts> = {}) {
  const clock = new VirtualClock()
  const backoff = { baseMs: 100, capMs: 1_000 }
  const queue = new WorkQueue({ clock, random: new SeededRandom(1), workers, backoff })
  const log: string[] = []
  const work: Work = async (key, signal) => {
    log.push(`${clock.monoMs()} begin ${key}`)
    await clock.sleep(takesMs, signal)
    log.push(`${clock.monoMs()} end ${key}`)
    return result(key)
  }
  return { clock, queue, log, work, began: () => log.filter((line) => line.includes('begin')) }
}

interface QueueFacts {
  readonly workers: number
  readonly takesMs: number
  readonly result: (key: string) => WorkResult
}

test('a key that is added many times is worked on once', async () => {
  const { clock, queue, work, began } = aQueue()
  for (let n = 0; n < 100; n += 1) queue.add('a')
  assert.equal(queue.depth(), 1)
  void queue.run(work, never)
  await clock.advance(1_000)
  assert.deepEqual(began(), ['0 begin a'])
  assert.equal(queue.depth(), 0)
})

test('the earliest time that was asked for wins, whatever was asked first', async () => {
  const { clock, queue, work, began } = aQueue()
  void queue.run(work, never)
  queue.add('a', 500)
  queue.add('a', 100)
  queue.add('a', 300)
  queue.add('b', 200)
  await clock.advance(2_000)
  assert.deepEqual(began(), ['100 begin a', '200 begin b'])
})

test('a key that is added while it is worked on is worked on again, once, and never by two', async () => {
  const { clock, queue, log, work } = aQueue({ workers: 3, takesMs: 100 })
  void queue.run(work, never)
  queue.add('a')
  await clock.advance(50)
  queue.add('a')
  queue.add('a')
  assert.deepEqual([queue.depth(), queue.underWay()], [0, 1])
  await clock.advance(1_000)
  assert.deepEqual(log, ['0 begin a', '100 end a', '100 begin a', '200 end a'])
})

test('other keys go on beside one that takes long, as many as there are workers', async () => {
  const { clock, queue, work, began } = aQueue({ workers: 2, takesMs: 100 })
  void queue.run(work, never)
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
  await clock.advance(1_000)
  assert.deepEqual(began(), ['0 begin a', '0 begin b', '100 begin c', '100 begin d'])
})

test('a key that asks for itself at once does not starve another', async () => {
  const { clock, queue, work, began } = aQueue({
    result: (key) => (key === 'greedy' ? { kind: 'done', againInMs: 0 } : DONE),
  })
  queue.add('greedy')
  queue.add('modest', 15)
  void queue.run(work, never)
  await clock.advance(45)
  assert.deepEqual(began(), [
    '0 begin greedy',
    '11 begin greedy',
    '21 begin modest',
    '31 begin greedy',
    '42 begin greedy',
  ])
})

test('a key that is done comes again when its work asked for it, or earlier when another caller adds it', async () => {
  const { clock, queue, work, began } = aQueue({ result: () => ({ kind: 'done', againInMs: 1_000 }) })
  void queue.run(work, never)
  queue.add('a')
  await clock.advance(1_500)
  queue.add('a')
  await clock.advance(1_300)
  assert.deepEqual(began(), ['0 begin a', '1010 begin a', '1500 begin a', '2510 begin a'])
})

test('a key that fails comes again after pauses that grow, have jitter and are never zero; a success makes them short again', async () => {
  let failing = true
  const { clock, queue, work, began } = aQueue({ takesMs: 0, result: () => (failing ? FAILED : DONE) })
  void queue.run(work, never)
  queue.add('a')
  await clock.advance(20_000)
  const times = began().map((line) => Number(line.split(' ')[0]))
  const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0))
  assert.ok(pauses.length > 15 && pauses.every((ms) => ms >= 25 && ms <= 1_001), pauses.join())
  assert.ok(new Set(pauses).size > 10)
  assert.ok(pauses[0] !== undefined && pauses[0] <= 100)
  failing = false
  await clock.advance(2_000)
  const before = began().length
  queue.add('a')
  await clock.advance(2_000)
  assert.equal(began().length, before + 1)
  failing = true
  queue.add('a')
  await clock.advance(102)
  assert.equal(began().length, before + 3)
})

test('the pause of a key that fails is its own, and what the world asks for is waited in full', async () => {
  const { clock, queue, work, began } = aQueue({
    takesMs: 0,
    result: (key) => (key === 'sick' ? { kind: 'failed', retryAfterMs: 5_000 } : DONE),
  })
  void queue.run(work, never)
  queue.add('sick')
  await clock.advance(1_000)
  queue.add('well')
  await clock.advance(3_999)
  assert.deepEqual(began(), ['0 begin sick', '1000 begin well'])
  await clock.advance(200)
  assert.equal(began().length, 3)
})

test('law: no retry is immediate, and Retry-After is honoured; no event hurries a key on that a server asked to wait', async () => {
  let result: WorkResult = { kind: 'failed', retryAfterMs: 60_000 }
  const { clock, queue, work, began } = aQueue({ takesMs: 10, result: () => result })
  void queue.run(work, never)
  queue.add('a')
  for (let second = 0; second < 60; second += 1) {
    await clock.advance(1_000)
    queue.add('a')
  }
  assert.equal(began().length, 1)
  result = DONE
  await clock.advance(200)
  assert.equal(began().length, 2)
  queue.add('a')
  await clock.advance(0)
  assert.equal(began().length, 3)
})

test('the time in which the machine slept has passed for every key, and for a server that asked to wait', async () => {
  const { clock, queue, work, began } = aQueue({
    workers: 2,
    takesMs: 0,
    result: (key) => (key === 'asked' ? { kind: 'failed', retryAfterMs: 60_000 } : { kind: 'done', againInMs: 60_000 }),
  })
  void queue.run(work, never)
  queue.add('asked')
  queue.add('swept')
  await clock.advance(1_000)
  await clock.suspend(8 * 3_600_000)
  assert.deepEqual(began().slice(2), ['1000 begin swept', '1000 begin asked'])
  await clock.advance(1_000)
  await clock.suspend(30_000)
  queue.add('asked')
  await clock.advance(28_999)
  assert.equal(began().length, 4)
  await clock.advance(500)
  assert.deepEqual(began().slice(4).toSorted(), ['31000 begin asked', '31000 begin swept'])
})

test('an event while it fails does not hurry it on either, where a server asks to wait', async () => {
  const { clock, queue, work, began } = aQueue({
    takesMs: 100,
    result: () => ({ kind: 'failed', retryAfterMs: 5_000 }),
  })
  void queue.run(work, never)
  queue.add('a')
  await clock.advance(50)
  queue.add('a')
  await clock.advance(5_000)
  assert.equal(began().length, 1)
})

for (const [what, retryAfterMs, leastMs, mostMs] of [
  ['that asks for no pause', undefined, 0, 100],
  ['whose Retry-After is zero, as that of a budget that is used up', 0, 0, 100],
  ['that asks for less than the pause of its own', 200, 200, 310],
] as const)
  test(`an event ends the pause of a key that fails by an answer ${what}, but for what was asked`, async () => {
    const { clock, queue } = aQueue()
    const passes: number[] = []
    void queue.run(async () => {
      passes.push(clock.monoMs())
      return { kind: 'failed', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
    }, never)
    queue.add('a')
    await clock.advance(20_000)
    const grownAt = passes.length
    for (let n = 0; n < 300; n += 1) {
      queue.add('a')
      await clock.advance(100)
    }
    const pauses = passes.slice(grownAt).map((at, i) => at - (passes[grownAt + i - 1] ?? 0))
    assert.ok(Math.max(...pauses.slice(1)) <= mostMs, pauses.join())
    assert.ok(Math.min(...pauses.slice(1)) >= leastMs, pauses.join())
  })

test('once stopped nothing is begun, what is under way ends, and nothing is left behind', async () => {
  const { clock, queue, log, work } = aQueue({ workers: 2, takesMs: 100 })
  const running = queue.run(work, never)
  queue.add('a')
  queue.add('b', 20)
  queue.add('waiting', 60)
  await clock.advance(50)
  queue.add('a')
  let stopped = false
  const stopping = queue.stop().then(() => {
    stopped = true
  })
  queue.add('late')
  await clock.advance(69)
  assert.equal(stopped, false)
  await clock.advance(1_000)
  await Promise.all([stopping, running])
  assert.deepEqual(log, ['0 begin a', '20 begin b', '100 end a', '120 end b'])
  assert.equal(clock.sleeping(), 0)
})

test('aborted, it ends what is under way by its signal and rejects with the reason', async () => {
  const { clock, queue, log, work } = aQueue({ takesMs: 100 })
  const life = new AbortController()
  const running = assert.rejects(queue.run(work, life.signal), /over/)
  queue.add('a')
  await clock.advance(50)
  life.abort(new Error('over'))
  await clock.advance(0)
  await running
  assert.deepEqual(log, ['0 begin a'])
  assert.equal(clock.sleeping(), 0)
})

test('a bug in the work ends the queue', async () => {
  const { clock, queue } = aQueue()
  const running = assert.rejects(
    queue.run(() => Promise.reject(new TypeError('a bug')), never),
    /a bug/,
  )
  queue.add('a')
  await clock.advance(10)
  await running
})

test('where a bug ends the queue, what is under way beside it is ended by its signal before the queue rejects', async () => {
  const { clock, queue } = aQueue({ workers: 2 })
  const log: string[] = []
  const work: Work = async (key, signal) => {
    if (key === 'bug') throw new TypeError('a bug')
    const ended = await clock.sleep(60_000, signal).catch((reason: unknown) => reason)
    log.push(`its signal ended ${key}: ${ended === OVER}`)
    await clock.sleep(30, never)
    log.push(`${clock.monoMs()} put away ${key}`)
    return DONE
  }
  const running = assert.rejects(queue.run(work, never), /a bug/).then(() => log.push('rejected'))
  queue.add('beside')
  queue.add('bug', 50)
  queue.add('waiting', 70)
  await clock.advance(79)
  assert.deepEqual(log, ['its signal ended beside: true'])
  await clock.advance(1)
  assert.deepEqual(log, ['its signal ended beside: true', '80 put away beside', 'rejected'])
  const waiting = queue.depth()
  queue.add('late')
  assert.equal(queue.depth(), waiting, 'a queue that has ended takes no more keys')
  await running
})

test('a queue without a worker, and one that runs twice, are bugs', () => {
  assert.throws(() => aQueue({ workers: 0 }), { message: 'a queue has at least one worker' })
  const { queue, work } = aQueue()
  void queue.run(work, never)
  assert.throws(() => queue.run(work, never), { message: 'a queue runs once' })
})

test('a queue that is stopped takes no more keys', async () => {
  const { queue } = aQueue()
  await queue.stop()
  queue.add('a')
  assert.equal(queue.depth(), 0)
})

test('a heap that holds nothing has no first, and gives what is due earliest once', () => {
  const heap = new DueHeap()
  assert.deepEqual([heap.first(), heap.pop()], [undefined, undefined])
  const due = (key: string, at: number, order: number) => ({ key, at: monoMs(at), order })
  for (const one of [due('c', 7, 0), due('a', 5, 1), due('b', 5, 2)]) heap.push(one)
  assert.deepEqual([heap.pop()?.key, heap.pop()?.key, heap.pop()?.key, heap.pop()], ['a', 'b', 'c', undefined])
})
