import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, LaneSummary, ProbeStatus, ProbeTarget } from '../../../src/ground/model/probe.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { type WallMs, wallMs } from '../../../src/ground/model/time.ts'
import { awaitingWindows, judgedWindows } from '../../../src/roll/decide/awaits-control.ts'
import { baselineMissing } from '../../../src/roll/decide/baseline.ts'
import { countedWindows, windowKey } from '../../../src/roll/decide/counted-windows.ts'
import { aSnapshot, aSpec } from '../../support/roll-world.ts'

const aTarget = (change: Partial<ProbeTarget> = {}): ProbeTarget => ({
  name: 'control',
  url: 'http://control.test/',
  control: true,
  ratePerSecond: 1,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2_000,
  expectStatus: [200, 299],
  servedByHeader: 'x-served-by',
  ...change,
})
const aWindow = (from: number, to: number, okAt?: number, control = false): FailureWindow => ({
  target: control ? 'control' : 'shop',
  control,
  lane: 'new',
  sent: 10,
  failed: 4,
  failures: { connect: 4 },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(from),
  lastBadAt: wallMs(to),
  ...(okAt === undefined ? {} : { firstOkAt: wallMs(okAt) }),
})
const facts = (change: Partial<ProbeStatus> = {}): ProbeStatus => ({
  startedAt: wallMs(0),
  lanes: [],
  windows: [],
  notMeasured: [],
  greenStreak: 0,
  ...change,
})
const measured = (probe: ProbeStatus, wall: WallMs, targets?: readonly ProbeTarget[]) => {
  const s = aSnapshot()
  const spec = targets === undefined ? aSpec() : aSpec({ probe: { targets, baselineMs: 1, baselineLimitMs: 1 } })
  return { run: { ...s.run, measuredSince: wallMs(1_000) }, probe, spec, wall }
}

/** Four requests failed, first at 10 s: whether they are judged by then; else they wait for their control. */
function isJudged(wall: number, change: Partial<FailureWindow>, targets?: readonly ProbeTarget[]): boolean {
  const s = measured(facts({ windows: [{ ...aWindow(10_000, 10_500), ...change }] }), wallMs(wall), targets)
  const [judged, awaiting] = [judgedWindows(s), awaitingWindows(s)]
  assert.equal(judged.length + awaiting.length, 1)
  return judged.length === 1
}
const undecided = (failed: number, since = 10_000) => ({ undecided: { failed, since: wallMs(since) } })
const SLOW = { keptShare: 0.5 }

const JUDGED: readonly (readonly [title: string, isJudged: boolean, expected: boolean])[] = [
  ['nothing can excuse it any more', isJudged(10_500, {}, [aTarget()]), true],
  ['each request may still be excused', isJudged(10_500, undecided(4), [aTarget()]), false],
  ['one request cannot be excused any more', isJudged(10_500, undecided(3), [aTarget()]), true],
  ['the others are excused already', isJudged(10_500, { ...undecided(3), excused: 1 }, [aTarget()]), false],
  ['the control may still answer in time', isJudged(13_999, undecided(4), [aTarget()]), false],
  ['the control owed its answer', isJudged(14_000, undecided(4), [aTarget()]), true],
  ['the control owes its answer since later', isJudged(14_000, undecided(4, 10_001), [aTarget()]), false],
  ['a control asked twice as rarely may still answer', isJudged(14_999, undecided(4), [aTarget(SLOW)]), false],
  ['a control asked twice as rarely owed its answer', isJudged(15_000, undecided(4), [aTarget(SLOW)]), true],
  [
    'the slowest of two controls may still answer',
    isJudged(14_999, undecided(4), [aTarget({ timeoutMs: 3_000 }), aTarget()]),
    false,
  ],
  ['a target that is no control may still answer', isJudged(11_000, undecided(4), [aTarget({ control: false })]), true],
  ['the file measures nothing any more', isJudged(11_000, undecided(4)), true],
  ['the file measures nothing any more, a moment before', isJudged(10_999, undecided(4)), false],
]

for (const [title, found, expected] of JUDGED) {
  test(`a failure is ${expected ? 'judged' : 'not judged yet'} where ${title}`, () => assert.equal(found, expected))
}

test('failures count from the very end of the baseline on, but for those of a control and those that it excuses', () => {
  const excused = { ...aWindow(9_000, 9_001, 9_002), excused: 4 }
  const windows = [aWindow(500, 999), aWindow(500, 1_000), aWindow(9_000, 9_001, 9_002, true), excused]
  assert.deepEqual(countedWindows(measured(facts({ windows }), wallMs(0))), [windows[1]])
  const s = measured(facts({ windows }), wallMs(0))
  const { measuredSince: _, ...unmeasured } = s.run
  assert.deepEqual(countedWindows({ ...s, run: unmeasured }), [])
})

test('a window is named by its target, its lane and its begin', () => {
  assert.equal(windowKey(aWindow(10_000, 10_900)), 'shop new 10000')
})

const LANE: LaneSummary = {
  target: 'shop',
  control: false,
  lane: 'new',
  scheduled: 100,
  sent: 100,
  skipped: 0,
  failed: 0,
  slow: 0,
  p50Ms: 1,
  p90Ms: 1,
  p99Ms: 1,
  maxMs: 1,
  startErrorP99Ms: 0,
}
const GREEN = { lastVerdictAt: wallMs(10_000), lanes: [LANE] }
const SHORT: Reason = { code: 'BaselineShort', text: 'traffic is measured before the roll begins' }
const red = (text: string): Reason => ({ code: 'BaselineNotGreen', object: 'shop', text })

const TEN_SECONDS = aSpec({ probe: { targets: [aTarget()], baselineMs: 10_000, baselineLimitMs: 1 } })

const BASELINE: readonly (readonly [title: string, probe: ProbeStatus, reason: Reason | undefined])[] = [
  ['traffic was green for its whole time', facts(GREEN), undefined],
  ['it began too late', facts({ ...GREEN, startedAt: wallMs(1) }), SHORT],
  ['no lane measures', facts({ ...GREEN, lanes: [] }), SHORT],
  ['one of two lanes sent nothing', facts({ ...GREEN, lanes: [LANE, { ...LANE, sent: 0 }] }), SHORT],
  [
    'one of two lanes has no sample yet, since its period is longer',
    facts({ ...GREEN, lanes: [LANE, { ...LANE, sent: 0, scheduled: 0 }] }),
    SHORT,
  ],
  [
    'a failure has not ended',
    facts({ ...GREEN, windows: [aWindow(5_000, 6_000)] }),
    red('4 requests to shop failed before the roll began: ECONNREFUSED'),
  ],
  ['a failure ended as it began', facts({ ...GREEN, windows: [aWindow(-5, -2, 0)] }), undefined],
  [
    'a failure ended after it began',
    facts({ ...GREEN, windows: [aWindow(-5, -2, 1)] }),
    red('4 requests to shop failed before the roll began: ECONNREFUSED'),
  ],
  ['a control alone failed', facts({ ...GREEN, windows: [aWindow(5_000, 6_000, 7_000, true)] }), undefined],
  [
    'the probe is silent, whatever it has seen before',
    facts({ ...GREEN, lastVerdictAt: wallMs(6_499), windows: [aWindow(5_000, 6_000)] }),
    { code: 'ProbeSilent', text: 'the probe has measured nothing for 4 s' },
  ],
  [
    'its last requests have no verdict yet',
    facts({ ...GREEN, lastVerdictAt: wallMs(10_000), settledBefore: wallMs(9_999) }),
    SHORT,
  ],
  [
    'the prober stood still in it',
    facts({ ...GREEN, notMeasured: [{ from: wallMs(1_000), to: wallMs(1_100) }] }),
    SHORT,
  ],
  [
    'the prober stood still before it',
    facts({ ...GREEN, startedAt: wallMs(-2_000), notMeasured: [{ from: wallMs(-1_100), to: wallMs(0) }] }),
    undefined,
  ],
  [
    'a failure is as old, and the prober stood still since',
    facts({
      ...GREEN,
      startedAt: wallMs(-9_000),
      windows: [aWindow(-900, -800, -700)],
      notMeasured: [{ from: wallMs(1_000), to: wallMs(2_000) }],
    }),
    red('4 requests to shop failed before the roll began: ECONNREFUSED'),
  ],
  [
    'the prober has stood still for long',
    facts({
      ...GREEN,
      startedAt: wallMs(-20_000),
      notMeasured: [{ from: wallMs(-19_000), to: wallMs(9_000) }],
    }),
    {
      code: 'TrafficNotMeasured',
      text: 'the probe cannot measure all of the time: it stands still, or starts again and again',
    },
  ],
]

test('a probe that asks once in ten seconds is not silent between its requests', () => {
  const seldom = aSpec({
    probe: { targets: [aTarget({ ratePerSecond: 0.1 })], baselineMs: 10_000, baselineLimitMs: 1 },
  })
  const codes = (lastVerdictAt: number) =>
    baselineMissing(facts({ ...GREEN, lastVerdictAt: wallMs(lastVerdictAt) }), wallMs(20_000), seldom).map(
      ({ code }) => code,
    )
  assert.deepEqual([codes(10_001), codes(4_999)], [[], ['ProbeSilent']])
})

for (const [title, probe, reason] of BASELINE) {
  test(`a baseline of ten seconds is ${reason?.code ?? 'over'} where ${title}`, () =>
    assert.deepEqual(baselineMissing(probe, wallMs(10_000), TEN_SECONDS), reason === undefined ? [] : [reason]))
}
