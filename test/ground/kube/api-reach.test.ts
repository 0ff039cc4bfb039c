import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

interface Waiting {
  readonly clock: VirtualClock
  readonly reach: ApiReach
  /** When each pause ended, in the order of their ends. */
  readonly ended: number[]
  readonly pause: (ms: number, dice: number, askedMs?: number) => void
}

function waiting(): Waiting {
  const clock = new VirtualClock()
  const reach = new ApiReach(clock)
  const ended: number[] = []
  const never = new AbortController().signal
  const pause = (ms: number, dice: number, askedMs = 0): void => {
    reach.pause({ ms, dice, askedMs }, never).then(() => void ended.push(clock.monoMs()), assert.ifError)
  }
  return { clock, reach, ended, pause }
}

test('where no caller reaches it, each waits its own time', async () => {
  const { clock, ended, pause } = waiting()
  for (const ms of [100, 2_000, 9_000]) pause(ms, 0.5)
  await clock.advance(10_000)
  assert.deepEqual(ended, [100, 2_000, 9_000])
  assert.equal(clock.sleeping(), 0)
})

test('once one has reached it, the others come within a second, one by one', async () => {
  const { clock, reach, ended, pause } = waiting()
  for (const dice of [0, 0.4, 0.999]) pause(9_000, dice)
  await clock.advance(3_000)
  reach.reached()
  await clock.advance(1_000)
  assert.deepEqual(ended, [3_250, 3_550, 3_999.25])
})

test('law: no retry is immediate, and Retry-After is honoured; a call that others wake waits for as long as the server asked', async () => {
  const { clock, reach, ended, pause } = waiting()
  pause(64_000, 0, 60_000)
  for (let i = 0; i < 70; i += 1) {
    await clock.advance(1_000)
    reach.reached()
  }
  assert.deepEqual(ended, [60_250])
})

test('the time in which the machine slept is part of the pause that a server asked for', async () => {
  const { clock, reach, ended, pause } = waiting()
  pause(60_500, 0, 60_000)
  pause(60_500, 0, 60_000)
  await clock.advance(2_000)
  await clock.suspend(30_000)
  reach.reached()
  await clock.advance(27_000)
  assert.deepEqual(ended, [])
  await clock.advance(2_000)
  assert.deepEqual(ended, [30_250, 30_250])
  pause(60_500, 0, 60_000)
  await clock.advance(2_000)
  const wokeAt = clock.monoMs()
  await clock.suspend(8 * 3_600_000)
  assert.equal(ended.at(-1), wokeAt)
})

test('no caller waits longer because it was woken', async () => {
  const { clock, reach, ended, pause } = waiting()
  pause(1_000, 0.5)
  await clock.advance(990)
  reach.reached()
  await clock.advance(1_000)
  assert.deepEqual(ended, [1_000])
})

test('however often it is reached, no client asks more often than four times a second', async () => {
  const { clock, reach, ended, pause } = waiting()
  pause(9_000, 0)
  for (let i = 0; i < 10; i += 1) {
    await clock.advance(20)
    reach.reached()
  }
  assert.deepEqual(ended, [])
  await clock.advance(100)
  assert.deepEqual(ended, [270])
})

test('a pause that is called off ends with the reason', async () => {
  const { clock, reach } = waiting()
  const stop = new AbortController()
  const over = reach.pause({ ms: 9_000, dice: 0 }, stop.signal)
  await clock.advance(10)
  stop.abort(new Error('no more'))
  await assert.rejects(over, { message: 'no more' })
  assert.equal(clock.sleeping(), 0)
})
