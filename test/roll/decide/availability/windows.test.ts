import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import { downtime, sureMs } from '../../../../src/roll/decide/availability/downtime.ts'
import { LaneWindows } from '../../../../src/roll/decide/availability/lane-windows.ts'
import { foldWindow, NO_WINDOW } from '../../../../src/roll/decide/availability/windows.ts'
import { aSample, at, samplesOf } from './a-sample.ts'

const PERIOD_MS = 20

const windowsOf = (drawing: string): readonly FailureWindow[] => {
  const lane = new LaneWindows(PERIOD_MS)
  for (const sample of samplesOf(drawing, PERIOD_MS)) lane.record(sample)
  return lane.ended()
}

/** First and last bad slot, sent, failed, slots of the good ones around it. */
const shape = (w: FailureWindow): readonly (number | undefined)[] => {
  const slot = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : (ms - at(0)) / PERIOD_MS)
  return [slot(w.lastOkAt), slot(w.firstBadAt), slot(w.lastBadAt), slot(w.firstOkAt), w.sent, w.failed]
}

const DRAWN: readonly (readonly [string, readonly (readonly (number | undefined)[])[]])[] = [
  ['.....', []],
  ['..x...', [[1, 2, 2, 3, 1, 1]]],
  ['..xxx...', [[1, 2, 4, 5, 3, 3]]],
  ['.x..x....', [[0, 1, 4, 5, 4, 2]]],
  [
    '.x...x....',
    [
      [0, 1, 1, 2, 1, 1],
      [4, 5, 5, 6, 1, 1],
    ],
  ],
  ['xx....', [[undefined, 0, 1, 2, 2, 2]]],
  ['...xx', [[2, 3, 4, undefined, 2, 2]]],
  ['._x_.....', [[0, 2, 2, 4, 1, 1]]],
  ['.x_____x....', [[0, 1, 7, 8, 2, 2]]],
  [
    '.x.____x....',
    [
      [0, 1, 1, 2, 1, 1],
      [2, 7, 7, 8, 1, 1],
    ],
  ],
]

test('a window is a run of bad samples with the good ones around it as its bounds', () => {
  for (const [drawing, expected] of DRAWN) assert.deepEqual(windowsOf(drawing).map(shape), expected, drawing)
})

interface Group {
  readonly bad: number[]
}

/** By hand: bad slots belong together unless a good one lies between them and they are four slots apart or more. */
function groupsOf(drawing: string): readonly Group[] {
  const groups: Group[] = []
  for (const [slot, mark] of [...drawing].entries()) {
    if (mark !== 'x') continue
    const last = groups.at(-1)
    const lastBad = last?.bad.at(-1)
    const isNew = lastBad === undefined || (slot - lastBad >= 4 && drawing.slice(lastBad, slot).includes('.'))
    if (isNew) groups.push({ bad: [slot] })
    else last?.bad.push(slot)
  }
  return groups
}

test('windows are those that counting by hand finds', () => {
  const drawings = fc.string({ unit: fc.constantFrom('.', '.', '.', 'x', 'x', '_'), maxLength: 60 })
  fc.assert(
    fc.property(drawings, (drawing) => {
      const expected = groupsOf(drawing).map(({ bad }) => {
        const first = bad[0] ?? -1
        const last = bad.at(-1) ?? -1
        const lastOk = drawing.lastIndexOf('.', Math.max(0, first - 1))
        const firstOk = drawing.indexOf('.', last)
        const sent = [...drawing.slice(first, last + 1)].filter((mark) => mark !== '_').length
        return [
          first === 0 || lastOk < 0 ? undefined : lastOk,
          first,
          last,
          firstOk < 0 ? undefined : firstOk,
          sent,
          bad.length,
        ]
      })
      assert.deepEqual(windowsOf(drawing).map(shape), expected)
    }),
    { numRuns: 500 },
  )
})

test('a window names its classes, its first error and who served before and after', () => {
  const lane = new LaneWindows(PERIOD_MS)
  const bad = (ms: number, changes: object) => aSample({ ms, verdict: 'failed', changes })
  lane.record(aSample({ ms: 0, changes: { servedBy: 'cp-1' } }))
  lane.record(bad(20, { failure: 'reset', error: 'read ECONNRESET' }))
  lane.record(bad(40, {}))
  lane.record(bad(60, {}))
  lane.record(aSample({ ms: 80, changes: { servedBy: 'cp-2' } }))
  const [window] = lane.ended()
  assert.deepEqual(window?.failures, { reset: 1, connect: 2 })
  assert.equal(window?.firstError, 'read ECONNRESET')
  assert.equal(window?.servedBefore, 'cp-1')
  assert.equal(window?.servedAfter, 'cp-2')
})

test('a window that could still grow is shown open, and so is one that rests on verdicts out of order', () => {
  const lane = new LaneWindows(PERIOD_MS)
  for (const sample of samplesOf('.x..', PERIOD_MS)) lane.record(sample)
  assert.equal(lane.seen([])[0]?.firstOkAt, undefined)
  const ahead = samplesOf('....', PERIOD_MS).map((s) => aSample({ ms: s.scheduledAt - at(0) + 80 }))
  assert.equal(lane.seen(ahead)[0]?.firstOkAt, undefined)
  for (const sample of ahead) lane.record(sample)
  assert.equal(lane.seen([])[0]?.firstOkAt, at(40))
})

test('a target that flaps without end keeps a bounded number of windows and every failure', () => {
  const windows = windowsOf('x....'.repeat(6_000))
  assert.equal(windows.length, 5_001)
  assert.equal(
    windows.reduce((sum, w) => sum + w.failed, 0),
    6_000,
  )
})

test('a failed sample without a class counts as noResponse, and a window has no field for what was not seen', () => {
  const lane = new LaneWindows(PERIOD_MS)
  const { failure: _class, error: _text, ...bare } = aSample({ ms: 0, verdict: 'failed' })
  lane.record(bare)
  lane.record(aSample({ ms: 20 }))
  assert.deepEqual(lane.ended(), [
    {
      target: 'web',
      control: false,
      lane: 'new',
      sent: 1,
      failed: 1,
      failures: { noResponse: 1 },
      firstError: '',
      firstBadAt: at(0),
      lastBadAt: at(0),
      firstOkAt: at(20),
    },
  ])
  assert.deepEqual(foldWindow(NO_WINDOW, aSample({ ms: 0 }), { periodMs: PERIOD_MS }), { fold: { lastOkAt: at(0) } })
  const { fold } = foldWindow(NO_WINDOW, bare, { periodMs: PERIOD_MS })
  assert.deepEqual(foldWindow(fold, aSample({ ms: 20 }), { periodMs: PERIOD_MS }).fold, {
    ...fold,
    lastOkAt: at(20),
    current: { ...fold.current, end: { firstOkAt: at(20), good: 1 } },
  })
})

test('a good sample exactly three and a half periods after the last bad one ends a window', () => {
  const endsWith = (ms: number): number | undefined => {
    const lane = new LaneWindows(PERIOD_MS)
    for (const sample of [...samplesOf('.x.', PERIOD_MS), aSample({ ms })]) lane.record(sample)
    return lane.seen([])[0]?.firstOkAt
  }
  assert.equal(endsWith(90), at(40))
  assert.equal(endsWith(89.9), undefined)
})

test('windows that rest on verdicts out of order are all shown as open', () => {
  const lane = new LaneWindows(PERIOD_MS)
  const named = (ms: number) => aSample({ ms, changes: { servedBy: 'cp-1' } })
  for (const sample of samplesOf('.x', PERIOD_MS)) lane.record(sample)
  const ahead = [40, 60, 80, 100, 120].map(named)
  const seen = lane.seen([...ahead, aSample({ ms: 140, verdict: 'failed' })])
  assert.deepEqual(seen.map(shape), [
    [0, 1, 1, undefined, 1, 1],
    [6, 7, 7, undefined, 1, 1],
  ])
  assert.deepEqual(
    seen.map((window) => ['firstOkAt' in window, 'servedAfter' in window, window.servedBefore]),
    [
      [false, false, undefined],
      [false, false, 'cp-1'],
    ],
  )
})

test('where windows are too many, the last one stands for all that follow: it counts them, and claims no time in which all failed', () => {
  const lane = new LaneWindows(PERIOD_MS)
  const drawing = 'x....'.repeat(5_003)
  for (const sample of samplesOf(drawing, PERIOD_MS)) lane.record(sample)
  const windows = lane.ended()
  assert.equal(windows.length, 5_001)
  assert.equal(
    windows.reduce((sum, { failed }) => sum + failed, 0),
    5_003,
  )
  const last = windows.at(-1)
  assert.ok(last)
  assert.deepEqual([last.failed, last.isMerged, sureMs(last)], [3, true, 0])
  assert.equal(last.lastBadAt - last.firstBadAt, 10 * PERIOD_MS)
  const whole = { from: at(0), to: at(drawing.length * PERIOD_MS), notMeasured: [] }
  assert.equal(downtime(windows, whole).lowMs, 0)
})
