import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

const START = wallMs(Date.UTC(2026, 0, 1))
const time = (): VirtualTime => new VirtualTime({ startAt: START, turns: turnsOfLoop })
const never = new AbortController().signal

test('events come in the order of their times, and equal ones in the order in which they were asked for', async () => {
  const clock = time()
  const seen: string[] = []
  const note = (name: string) => (): void => void seen.push(`${name} ${clock.monoMs()}`)
  clock.later(30, note('c'))
  clock.later(10, note('a'))
  clock.later(30, note('d'))
  clock.later(20, () => {
    note('b')()
    clock.later(0, note('at once'))
    clock.later(10, note('last'))
  })
  await clock.advance(30)
  assert.deepEqual(seen, ['a 10', 'b 20', 'at once 20', 'c 30', 'd 30', 'last 30'])
})

test('thousands of events in any order are sorted by the heap', async () => {
  const clock = time()
  const seen: number[] = []
  const delays = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 3001)
  for (const ms of delays) clock.later(ms, () => void seen.push(ms))
  await clock.advance(4000)
  assert.deepEqual(
    seen,
    delays.toSorted((left, right) => left - right),
  )
})

test('what is left of thousands that were called off comes in its order', async () => {
  const clock = time()
  const seen: number[] = []
  const delays = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 301)
  const callOffs = delays.map((ms, i) => clock.later(ms, () => void seen.push(ms * 3000 + i)))
  const isKept = (i: number): boolean => i % 5 === 0
  for (const [i, callOff] of callOffs.entries()) if (!isKept(i)) callOff()
  await clock.advance(400)
  const kept = delays.flatMap((ms, i) => (isKept(i) ? [ms * 3000 + i] : []))
  assert.deepEqual(
    seen,
    kept.toSorted((left, right) => left - right),
  )
})

test('what was called off does not come', async () => {
  const clock = time()
  const seen: string[] = []
  const callOff = clock.later(10, () => void seen.push('off'))
  clock.later(10, () => void seen.push('on'))
  callOff()
  assert.equal(clock.pending, 1)
  await clock.advance(10)
  assert.deepEqual(seen, ['on'])
})

test('a sleeper goes on at its time, before the next event', async () => {
  const clock = time()
  const seen: string[] = []
  const sleeper = async (): Promise<void> => {
    for (const ms of [10, 10, 10]) {
      await clock.sleep(ms, never)
      seen.push(`awake at ${clock.monoMs()}`)
    }
  }
  clock.later(15, () => void seen.push('event at 15'))
  clock.later(20, () => void seen.push('asked for before'))
  await clock.settle(sleeper(), 100)
  assert.deepEqual(seen, ['awake at 10', 'event at 15', 'asked for before', 'awake at 20', 'awake at 30'])
})

test('a sleep that is aborted ends with the reason, at once', async () => {
  const clock = time()
  const stop = new AbortController()
  clock.later(5, () => stop.abort(new Error('enough')))
  await assert.rejects(clock.settle(clock.sleep(1000, stop.signal), 2000), /enough/)
  assert.equal(clock.monoMs(), 5)
  assert.equal(clock.pending, 0)
})

test('work that nothing can end is reported, not waited for', async () => {
  const clock = time()
  const { promise } = Promise.withResolvers<void>()
  await assert.rejects(clock.settle(promise, 1000), /nothing is left to happen/)
  await assert.rejects(clock.settle(clock.sleep(5000, never), 1000), /not settled within 1000 ms/)
})

test('people may set the clock; time that is measured does not notice', async () => {
  const clock = time()
  await clock.advance(1000)
  clock.jumpWall(-3_600_000)
  assert.deepEqual([clock.monoMs(), clock.wallMs() - START], [1000, 1000 - 3_600_000])
})
