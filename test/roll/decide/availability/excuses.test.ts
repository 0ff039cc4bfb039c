import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureClass, ProbeTarget, Sample } from '../../../../src/ground/model/probe.ts'
import { ProbeLedger } from '../../../../src/roll/decide/availability/probe-ledger.ts'
import { aSample, aTarget, at } from './a-sample.ts'

const WEB_EVERY_MS = 20
const CONTROL_EVERY_MS = 100
const BASELINE = { from: at(0), to: at(1_000) }
const UNTIL_MS = 6_000

const WEB = aTarget({ ratePerSecond: 50, keptShare: 0 })
const aControl = (name: string, change: Partial<ProbeTarget> = {}): ProbeTarget =>
  aTarget({ name, control: true, ratePerSecond: 10, keptShare: 0, ...change })
const CONTROL = aControl('control')

/** What a request that was due then came to. */
type Fate = 'ok' | 'skipped' | { readonly failure: FailureClass; readonly afterMs?: number }
type Course = (ms: number) => Fate

const REFUSED: Fate = { failure: 'connect' }
const never: Course = () => 'ok'
const between =
  (from: number, to: number, fate: Fate = REFUSED): Course =>
  (ms) =>
    ms >= from && ms < to ? fate : 'ok'

function samplesOf(target: ProbeTarget, everyMs: number, course: Course): readonly Sample[] {
  return Array.from({ length: UNTIL_MS / everyMs }, (_, n) => {
    const fate = course(n * everyMs)
    const changes = { target: target.name, control: target.control }
    if (typeof fate === 'string') return aSample({ ms: n * everyMs, verdict: fate, changes })
    const { failure, afterMs = 2 } = fate
    return aSample({ ms: n * everyMs, verdict: 'failed', changes: { ...changes, failure, latencyMs: afterMs } })
  })
}

/** All verdicts are known at once, and the baseline was the first second. */
function windowsOf(web: Course, controls: readonly (readonly [ProbeTarget, Course])[]) {
  const ledger = new ProbeLedger([WEB, ...controls.map(([target]) => target)], at(0))
  const samples = [
    ...samplesOf(WEB, WEB_EVERY_MS, web),
    ...controls.flatMap(([target, course]) => samplesOf(target, CONTROL_EVERY_MS, course)),
  ]
  ledger.apply({ type: 'started', at: at(0) })
  ledger.baseline(BASELINE)
  ledger.apply({ type: 'batch', at: at(UNTIL_MS), samples, settledBefore: at(UNTIL_MS) })
  ledger.end(at(UNTIL_MS))
  return ledger.status(at(UNTIL_MS)).windows.filter(({ control }) => !control)
}

const MUTE: Fate = { failure: 'noResponse', afterMs: 500 }

/** Bad requests of the target, 50 a second, and how many of them are excused. */
const TABLE: readonly (readonly [when: string, web: Course, control: Course, failed: number, excused: number])[] = [
  ['the control failed all the time', between(2_000, 2_500), between(2_000, 2_500), 25, 25],
  ['the control answered all the time', between(2_000, 2_500), never, 25, 0],
  ['the control has never answered', between(2_000, 2_500), () => REFUSED, 25, 0],
  [
    'the control was not asked in the baseline',
    between(2_000, 2_500),
    (ms) => (ms <= 1_000 ? 'skipped' : between(2_000, 2_500)(ms)),
    25,
    0,
  ],
  [
    'one request to the control failed in the baseline',
    between(2_000, 2_500),
    (ms) => (ms === 900 ? REFUSED : between(2_000, 2_500)(ms)),
    25,
    0,
  ],
  [
    'one request to the control failed in the baseline, by its status',
    between(2_000, 2_500),
    (ms) => (ms === 900 ? { failure: 'status' } : between(2_000, 2_500)(ms)),
    25,
    0,
  ],
  ['it was in the baseline itself', between(500, 1_020), between(2_000, 2_500), 26, 0],
  [
    'the control answered again while the target went on failing',
    between(2_000, 4_000),
    between(2_000, 2_500),
    100,
    25,
  ],
  ['the control failed only at the end of the outage', between(2_000, 4_000), between(3_500, 4_000), 100, 29],
  [
    'the control failed in the middle of the outage for one request',
    between(2_000, 4_000),
    between(3_000, 3_100),
    100,
    9,
  ],
  ['the outage began between two requests to the control', between(2_020, 2_500), between(2_020, 2_500), 24, 24],
  ['the control failed at another time', between(2_000, 2_500), between(3_000, 3_500), 25, 0],
  ['the service answered with a status', between(2_000, 2_500, { failure: 'status' }), between(2_000, 2_500), 25, 0],
  [
    'the service answered with a wrong body',
    between(2_000, 2_500, { failure: 'content' }),
    between(2_000, 2_500),
    25,
    0,
  ],
  [
    'half of the failures are a status of the service',
    (ms) => (ms < 2_000 || ms >= 2_400 ? 'ok' : ms % 40 === 0 ? { failure: 'status' } : REFUSED),
    between(2_000, 2_500),
    20,
    10,
  ],
  [
    'the control was reached and answered with a status',
    between(2_000, 2_500),
    between(2_000, 2_500, { failure: 'status' }),
    25,
    0,
  ],
  [
    'its requests were under way when the control began to fail',
    between(2_000, 2_400, MUTE),
    between(2_600, 3_000),
    20,
    15,
  ],
  ['its requests had failed before the control began to', between(2_000, 2_400, REFUSED), between(2_600, 3_000), 20, 0],
  [
    'the control was not asked for a part of the outage',
    between(2_000, 3_000),
    (ms) => (ms === 2_300 ? 'skipped' : between(2_000, 3_000)(ms)),
    50,
    50,
  ],
  [
    'the control was never asked again',
    between(2_000, 3_000),
    (ms) => (ms >= 2_200 ? 'skipped' : between(2_000, 3_000)(ms)),
    50,
    10,
  ],
]

for (const [when, web, control, failed, excused] of TABLE) {
  test(`law: a control that was green in the baseline excuses what failed while it got no answer, and nothing else; ${excused} of ${failed} failed requests where ${when}`, () => {
    const windows = windowsOf(web, [[CONTROL, control]])
    const sum = (of: (window: (typeof windows)[number]) => number): number => windows.reduce((all, w) => all + of(w), 0)
    assert.deepEqual([sum((w) => w.failed), sum((w) => w.excused ?? 0)], [failed, excused])
    assert.deepEqual(
      windows.filter((window) => window.undecided !== undefined),
      [],
    )
  })
}

test('of two controls the one that was green in the baseline excuses, whatever became of the other', () => {
  const outage = between(2_000, 2_500)
  const dead = aControl('dead')
  const [window] = windowsOf(outage, [
    [dead, () => REFUSED],
    [CONTROL, outage],
  ])
  assert.deepEqual([window?.failed, window?.excused], [25, 25])
  const [other] = windowsOf(outage, [
    [dead, () => REFUSED],
    [CONTROL, never],
  ])
  assert.deepEqual([other?.failed, other?.excused], [25, undefined])
})

test('a control whose kept lane failed in the baseline excuses nothing, though its other lane was green', () => {
  const ledger = new ProbeLedger([WEB, aControl('control', { ratePerSecond: 20, keptShare: 0.5 })], at(0))
  const outage = between(2_000, 2_500)
  const lane = (kind: 'new' | 'kept', course: Course): readonly Sample[] =>
    samplesOf(CONTROL, CONTROL_EVERY_MS, course).map((sample) => ({ ...sample, lane: kind }))
  const samples = [
    ...samplesOf(WEB, WEB_EVERY_MS, outage),
    ...lane('new', outage),
    ...lane('kept', (ms) => (ms === 500 ? REFUSED : outage(ms))),
  ]
  ledger.apply({ type: 'started', at: at(0) })
  ledger.baseline(BASELINE)
  ledger.apply({ type: 'batch', at: at(UNTIL_MS), samples, settledBefore: at(UNTIL_MS) })
  const facts = ledger.status(at(UNTIL_MS))
  assert.deepEqual(facts.redControls, ['control'])
  assert.equal(facts.windows.find(({ control }) => !control)?.excused, undefined)
})

/** A ledger that hears of its samples as they come, the baseline told when it is over. */
function growing() {
  const ledger = new ProbeLedger([WEB, CONTROL], at(0))
  const tell = (until: number, samples: readonly Sample[], settledBefore = until): void =>
    ledger.apply({ type: 'batch', at: at(until), samples, settledBefore: at(settledBefore) })
  ledger.apply({ type: 'started', at: at(0) })
  const control = (ms: number, verdict: Sample['verdict'] = 'ok'): Sample =>
    aSample({ ms, verdict, changes: { target: 'control', control: true } })
  const web = (): readonly unknown[] =>
    ledger
      .status(at(UNTIL_MS))
      .windows.filter((window) => !window.control)
      .map(({ failed, excused, undecided }) => [
        failed,
        excused ?? 0,
        undecided?.failed ?? 0,
        undecided === undefined ? undefined : undecided.since - at(0),
      ])
  return { ledger, tell, control, web }
}

test('a failure is undecided until every control was asked again after it', () => {
  const { ledger, tell, control, web } = growing()
  tell(1_000, [control(500), control(900)])
  ledger.baseline(BASELINE)
  tell(2_050, [aSample({ ms: 2_010, verdict: 'failed' }), control(2_000)])
  assert.deepEqual(web(), [[1, 0, 1, 2_013]])
  tell(2_113, [control(2_100)])
  assert.deepEqual(web(), [[1, 0, 1, 2_013]])
  tell(2_114, [])
  assert.deepEqual(web(), [[1, 0, 0, undefined]])
})

test('it is excused as soon as a control is known to have failed with it', () => {
  const { ledger, tell, control, web } = growing()
  tell(1_000, [control(500), control(900)])
  ledger.baseline(BASELINE)
  tell(2_050, [aSample({ ms: 2_010, verdict: 'failed' }), control(2_000)])
  tell(2_105, [control(2_100, 'failed')])
  assert.deepEqual(web(), [[1, 1, 0, undefined]])
  tell(2_140, [aSample({ ms: 2_120, verdict: 'failed' })])
  assert.deepEqual(web(), [[2, 2, 0, undefined]])
})

test('a failure whose turn has not come is undecided too; one that no control can excuse never is', () => {
  const { ledger, tell, control, web } = growing()
  tell(1_000, [control(500), control(900)])
  ledger.baseline(BASELINE)
  const status = aSample({ ms: 2_020, verdict: 'failed', changes: { failure: 'status' } })
  tell(2_050, [aSample({ ms: 2_000, verdict: 'failed' }), status], 1_990)
  assert.deepEqual(web(), [[2, 0, 1, 2_003]])
})

test('where no verdict will follow, nothing stays undecided', () => {
  const { ledger, tell, control, web } = growing()
  tell(1_000, [control(500), control(900)])
  ledger.baseline(BASELINE)
  tell(2_050, [aSample({ ms: 2_010, verdict: 'failed' }), control(2_000)])
  ledger.end(at(2_050))
  assert.deepEqual(web(), [[1, 0, 0, undefined]])
})

test('a control excuses nothing once a request of the baseline turns out to have failed', () => {
  const { ledger, tell, control, web } = growing()
  tell(1_000, [control(500)], 900)
  ledger.baseline(BASELINE)
  assert.equal(ledger.status(at(1_000)).redControls, undefined)
  tell(1_900, [control(900, 'failed')])
  assert.deepEqual(ledger.status(at(1_900)).redControls, ['control'])
  tell(2_200, [aSample({ ms: 2_010, verdict: 'failed' }), control(2_000, 'failed')])
  assert.deepEqual(web(), [[1, 0, 0, undefined]])
})

test('nothing is excused while the end of the baseline is not known', () => {
  const { tell, control, web } = growing()
  tell(1_000, [control(500), control(900)])
  tell(2_200, [aSample({ ms: 2_010, verdict: 'failed' }), control(2_000, 'failed')])
  assert.deepEqual(web(), [[1, 0, 0, undefined]])
})
