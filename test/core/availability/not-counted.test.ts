import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lanePeriodMs } from '../../../src/core/availability/lane-period.ts'
import { LaneWindows } from '../../../src/core/availability/lane-windows.ts'
import { notCounted } from '../../../src/core/availability/not-counted.ts'
import type { FailureWindow, Lane, ProbeFacts } from '../../../src/model/probe.ts'
import { aTarget, at, samplesOf } from './a-sample.ts'

const TARGETS = [
  aTarget({ keptShare: 0.2 }),
  aTarget({ name: 'api', ratePerSecond: 10, keptShare: 0 }),
  aTarget({ name: 'elsewhere', control: true }),
]

const PERIODS: readonly (readonly [target: string, lane: Lane, periodMs: number])[] = [
  ['web', 'new', 12.5],
  ['web', 'kept', 50],
  ['api', 'new', 100],
  ['api', 'kept', 0],
  ['nowhere', 'new', 0],
]

for (const [target, lane, periodMs] of PERIODS) {
  test(`requests of ${target} over ${lane} connections are ${periodMs} ms apart`, () => {
    assert.equal(lanePeriodMs(TARGETS, { target, lane }), periodMs)
  })
}

/** The only window of `drawing`, one sample every 20 ms. */
function windowOf(drawing: string, change: Partial<FailureWindow> = {}): FailureWindow {
  const lane = new LaneWindows(20)
  for (const sample of samplesOf(drawing, 20)) lane.record(sample)
  const [window] = lane.ended()
  assert.ok(window)
  return { ...window, ...change }
}

const factsOf = (windows: readonly FailureWindow[]): ProbeFacts => ({
  startedAt: at(0),
  lanes: [],
  windows,
  notMeasured: [],
  servedBy: {},
  greenStreak: 0,
})

test('a window counts unless a control target failed at the same time, and a window of the control never counts', () => {
  const during = windowOf(`${'.'.repeat(50)}xxx.....`)
  const later = windowOf(`${'.'.repeat(200)}xxx.....`)
  const control = windowOf(`${'.'.repeat(51)}x.....`, { target: 'elsewhere', control: true })
  assert.deepEqual([...notCounted(factsOf([during, control, later]), TARGETS)], [during])
  assert.deepEqual([...notCounted(factsOf([during, later]), TARGETS)], [])
})

test('the cause of a failed request may lie a period before it, so a control that failed then excuses a lane with a long period', () => {
  const { lastOkAt: _unseen, ...first } = windowOf(`${'.'.repeat(50)}xxx.....`)
  const control = windowOf(`${'.'.repeat(20)}x.....`, { target: 'elsewhere', control: true })
  assert.deepEqual([control.firstOkAt, first.firstBadAt], [at(420), at(1_000)])
  const [seldom, often] = [
    { ...first, target: 'api', lane: 'new' },
    { ...first, target: 'web', lane: 'new' },
  ] as const
  assert.deepEqual([...notCounted(factsOf([seldom, often, control]), TARGETS)], [seldom])
})
