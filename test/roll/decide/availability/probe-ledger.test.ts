import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProbeStatus, Sample } from '../../../../src/ground/model/probe.ts'
import type { ProbeSignal } from '../../../../src/ground/model/probe-signal.ts'
import { ProbeLedger } from '../../../../src/roll/decide/availability/probe-ledger.ts'
import { aSample, aTarget, at, samplesOf } from './a-sample.ts'

const started = (ms: number): ProbeSignal => ({ type: 'started', at: at(ms) })
const batch = (ms: number, samples: readonly Sample[], settledBefore = ms): ProbeSignal => ({
  type: 'batch',
  at: at(ms),
  samples,
  settledBefore: at(settledBefore),
})
const died = (ms: number): ProbeSignal => ({ type: 'died', at: at(ms), reason: 'SIGKILL' })

const ledgerOf = (...signals: readonly ProbeSignal[]): ProbeLedger => {
  const ledger = new ProbeLedger([aTarget(), aTarget({ name: 'elsewhere', control: true, keptShare: 0 })], at(-200))
  for (const signal of signals) ledger.apply(signal)
  return ledger
}
const gapsOf = (facts: ProbeStatus) => facts.notMeasured.map(({ from, to }) => [from - at(0), to - at(0)])

test('counts each lane and bounds what was late by the prober itself', () => {
  const late = aSample({ ms: 100, changes: { startedLateMs: 4 } })
  const facts = ledgerOf(started(0), batch(200, [...samplesOf('..x._', 20), late])).status(at(200))
  assert.deepEqual(facts.lanes[0], {
    target: 'web',
    control: false,
    lane: 'new',
    scheduled: 6,
    sent: 5,
    skipped: 1,
    failed: 1,
    slow: 0,
    p50Ms: 3,
    p90Ms: 3,
    p99Ms: 3,
    maxMs: 3,
    startErrorP99Ms: 4,
  })
  assert.equal(facts.lastVerdictAt, at(100))
  assert.equal(facts.startedAt, at(0))
})

test('a retried request is counted apart, and is good or failed by its repeat', () => {
  const retried = { retried: true } as const
  const samples = [
    aSample({ ms: 0, changes: retried }),
    aSample({ ms: 20, verdict: 'failed', changes: retried }),
    aSample({ ms: 40, verdict: 'skipped', changes: retried }),
    aSample({ ms: 60 }),
  ]
  const [lane] = ledgerOf(started(0), batch(1_000, samples)).status(at(1_000)).lanes
  assert.deepEqual([lane?.sent, lane?.failed, lane?.retried], [3, 1, 2])
})

test('a failure has no latency, and slow is more than half a second or three times the usual', () => {
  const usual = Array.from({ length: 300 }, (_, i) => aSample({ ms: i * 20, changes: { latencyMs: 200 } }))
  const then = [550, 610].map((latencyMs, i) => aSample({ ms: 6_000 + i * 20, changes: { latencyMs } }))
  const dead = aSample({ ms: 6_100, verdict: 'failed', changes: { latencyMs: 2_000 } })
  const [lane] = ledgerOf(started(0), batch(9_000, [...usual, ...then, dead])).status(at(9_000)).lanes
  assert.equal(lane?.slow, 1)
  assert.equal(lane?.maxMs, 610)
})

test('before there are 300 good answers as a baseline, slow means more than half a second', () => {
  const answers = (latencies: readonly number[]): readonly Sample[] =>
    latencies.map((latencyMs, i) => aSample({ ms: i * 20, changes: { latencyMs } }))
  const slow = (latencies: readonly number[]): number | undefined =>
    ledgerOf(started(0), batch(9_000, answers(latencies))).status(at(9_000)).lanes[0]?.slow
  const usual = Array<number>(299).fill(200)
  assert.equal(slow([500, 501]), 1)
  assert.equal(slow([...usual, 550]), 1)
  assert.equal(slow([...usual, 200, 550]), 0)
})

test('a verdict that comes late finds its place, and until then nothing rests on what came after', () => {
  const pending = aSample({ ms: 20, verdict: 'failed', changes: { failure: 'noResponse' } })
  const later = [40, 60, 80, 100].map((ms) => aSample({ ms }))
  const ledger = ledgerOf(started(0), batch(110, [aSample({ ms: 0 }), ...later], 20))
  assert.equal(ledger.status(at(110)).greenStreak, 1)
  ledger.apply(batch(2_050, [pending]))
  const facts = ledger.status(at(2_050))
  assert.equal(facts.greenStreak, 4)
  assert.deepEqual([facts.windows[0]?.lastOkAt, facts.windows[0]?.firstOkAt], [at(0), at(40)])
})

test('a failure shows at once, even while an earlier verdict is owed', () => {
  const facts = ledgerOf(started(0), batch(110, [aSample({ ms: 60, verdict: 'failed' })], 20)).status(at(110))
  assert.equal(facts.windows.length, 1)
  assert.equal(facts.greenStreak, 0)
})

test('law: the order in which verdicts come changes no window', () => {
  const drawings = fc.string({ unit: fc.constantFrom('.', '.', 'x', '_'), minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(drawings, fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 7 }), (drawing, noise, cut) => {
      const samples = samplesOf(drawing, 20)
      const shuffled = samples.map((s) => ({ s, key: noise.next().value ?? 0 })).sort((a, b) => a.key - b.key)
      const scattered = ledgerOf(started(0))
      for (let i = 0; i < shuffled.length; i += cut) {
        const rest = shuffled.slice(i + cut).map(({ s }) => s.scheduledAt - at(0))
        scattered.apply(
          batch(
            2_000 + i,
            shuffled.slice(i, i + cut).map(({ s }) => s),
            Math.min(2_000, ...rest),
          ),
        )
      }
      const ordered = ledgerOf(started(0), batch(2_000, samples))
      for (const ledger of [scattered, ordered]) ledger.end(at(3_000))
      assert.deepEqual(scattered.status(at(3_000)), ordered.status(at(3_000)))
      assert.equal(scattered.failedAt1Hz(), ordered.failedAt1Hz())
    }),
  )
})

test('law: time in which the prober stood still is not measured, and never good; from its first skipped sample to the next one sent', () => {
  const samples = [...samplesOf('.__________', 20), aSample({ ms: 220 })]
  assert.deepEqual(gapsOf(ledgerOf(started(0), batch(240, samples)).status(at(240))), [[20, 220]])
})

test('a lone late sample is counted, but is no gap', () => {
  const facts = ledgerOf(started(0), batch(240, samplesOf('..._...', 20))).status(at(240))
  assert.equal(facts.lanes[0]?.skipped, 1)
  assert.deepEqual(gapsOf(facts), [])
})

test('between a death and the next start nothing was measured, owed verdicts included', () => {
  const ledger = ledgerOf(started(0), batch(500, samplesOf('..........', 20), 450), died(520))
  assert.deepEqual(gapsOf(ledger.status(at(900))), [[450, 900]])
  ledger.apply(started(1_000))
  assert.deepEqual(gapsOf(ledger.status(at(1_100))), [[450, 1_000]])
})

test('silence is not measured for as long as it lasts, and before the first start nothing is', () => {
  const silent = ledgerOf(started(0), batch(500, []))
  assert.deepEqual(gapsOf(silent.status(at(900))), [])
  assert.deepEqual(gapsOf(silent.status(at(1_200))), [[500, 1_200]])
  assert.deepEqual(gapsOf(ledgerOf().status(at(300))), [[-200, 300]])
})

test('a start too late to catch up ends a gap that began with the last heartbeat', () => {
  assert.deepEqual(gapsOf(ledgerOf(started(0), batch(500, []), started(90_000)).status(at(90_050))), [[500, 90_000]])
})

test('a control target is counted apart: no streak, no name, no gap', () => {
  const control = (ms: number, verdict: Sample['verdict']): Sample =>
    aSample({ ms, verdict, changes: { target: 'elsewhere', control: true, servedBy: 'x' } })
  const ledger = ledgerOf(started(0), batch(100, [aSample({ ms: 0 }), control(5, 'failed'), control(30, 'ok')]))
  const facts = ledger.status(at(100))
  assert.equal(facts.greenStreak, 1)
  assert.deepEqual(ledger.servedBy(), {})
  assert.deepEqual(
    facts.windows.map((w) => [w.target, w.control]),
    [['elsewhere', true]],
  )
})

test('answers are counted by the name of the server, but a new name in each answer does not fill the memory', () => {
  const named = Array.from({ length: 1_500 }, (_, i) => aSample({ ms: i * 20, changes: { servedBy: `pod-${i}` } }))
  const servedBy = ledgerOf(started(0), batch(40_000, named)).servedBy()
  assert.equal(Object.keys(servedBy).length, 1_001)
  assert.equal(servedBy['(others)'], 500)
})

test('at the end every window has the end that was seen', () => {
  const ledger = ledgerOf(started(0), batch(80, samplesOf('.xx.', 20)))
  assert.equal(ledger.status(at(80)).windows[0]?.firstOkAt, undefined)
  ledger.end(at(80))
  assert.equal(ledger.status(at(5_000)).windows[0]?.firstOkAt, at(60))
  assert.deepEqual(gapsOf(ledger.status(at(5_000))), [])
})

test('the facts before the first sample are empty', () => {
  assert.deepEqual(new ProbeLedger([aTarget({ name: 'api', keptShare: 0 })], at(0)).status(at(50)), {
    startedAt: at(0),
    settledBefore: at(0),
    lanes: [
      {
        target: 'api',
        control: false,
        lane: 'new',
        scheduled: 0,
        sent: 0,
        skipped: 0,
        failed: 0,
        slow: 0,
        p50Ms: 0,
        p90Ms: 0,
        p99Ms: 0,
        maxMs: 0,
        startErrorP99Ms: 0,
      },
    ],
    windows: [],
    greenStreak: 0,
    notMeasured: [],
  })
})

test('a restart of the prober does not change when measuring began', () => {
  const facts = ledgerOf(started(0), died(100), started(500)).status(at(600))
  assert.deepEqual([facts.startedAt, facts.settledBefore], [at(0), at(500)])
})

test('the last verdict belongs to the latest sample that was sent', () => {
  const samples = [aSample({ ms: 40 }), aSample({ ms: 0 }), aSample({ ms: 60, verdict: 'skipped' })]
  assert.equal(ledgerOf(started(0), batch(80, samples)).status(at(80)).lastVerdictAt, at(40))
})

test('samples that wait for an earlier verdict count after the prober died or ended', () => {
  const waiting = batch(110, [aSample({ ms: 0 }), aSample({ ms: 40 }), aSample({ ms: 60 })], 20)
  const ledger = ledgerOf(started(0), waiting)
  assert.equal(ledger.status(at(110)).greenStreak, 1)
  ledger.apply(died(120))
  assert.equal(ledger.status(at(120)).greenStreak, 3)
  const ended = ledgerOf(started(0), batch(110, [aSample({ ms: 60, verdict: 'failed' })], 20))
  ended.end(at(120))
  assert.deepEqual(
    ended.windows().map(({ firstBadAt }) => firstBadAt),
    [at(60)],
  )
})

const control = (ms: number, verdict: Sample['verdict'] = 'ok', latencyMs = 3): Sample =>
  aSample({ ms, verdict, changes: { target: 'elsewhere', control: true, latencyMs } })

test('a failure that waits breaks the streak, but a failure of a control does not', () => {
  const good = aSample({ ms: 0 })
  const streak = (waiting: Sample): number =>
    ledgerOf(started(0), batch(110, [good, waiting], 20)).status(at(110)).greenStreak
  assert.equal(streak(aSample({ ms: 60, verdict: 'failed' })), 0)
  assert.equal(streak(aSample({ ms: 60, verdict: 'skipped' })), 1)
  assert.equal(streak(control(60, 'failed')), 1)
})

test('answers of a control count neither for the streak, nor for gaps, nor for the latency', () => {
  const samples = [aSample({ ms: 0 }), control(5), control(15), aSample({ ms: 20, changes: { latencyMs: 7 } })]
  const late = control(30, 'ok', 900)
  const stalled = [40, 50, 200].map((ms) => control(ms, 'skipped'))
  const ledger = ledgerOf(started(0), batch(300, [...samples, late, ...stalled]))
  const facts = ledger.status(at(300))
  assert.deepEqual([facts.greenStreak, gapsOf(facts)], [2, []])
  assert.deepEqual([ledger.latency().count, ledger.latency().maxMs], [2, 7])
})

test('a check once a second is compared with one lane of each target that is not a control', () => {
  const targets = [
    aTarget(),
    aTarget({ name: 'api', ratePerSecond: 1, keptShare: 0 }),
    aTarget({ name: 'pool', ratePerSecond: 1, keptShare: 1 }),
    aTarget({ name: 'elsewhere', control: true, ratePerSecond: 1, keptShare: 0 }),
  ]
  const ledger = new ProbeLedger(targets, at(0))
  const bad = (target: string, lane: 'new' | 'kept', ms: number): Sample =>
    aSample({ ms, lane, verdict: 'failed', changes: { target, control: target === 'elsewhere' } })
  const kept = samplesOf('xxxx', 20, 'kept')
  const other = [bad('api', 'new', 0), bad('api', 'new', 1_000), bad('elsewhere', 'new', 0), bad('pool', 'kept', 0)]
  ledger.apply(batch(2_000, [...samplesOf('xxxxxxxxxx', 20), ...kept, ...other]))
  assert.equal(ledger.failedAt1Hz(), 0.2 + 2 + 1)
})

test('windows of all lanes are sorted by their first failure', () => {
  const samples = [...samplesOf('.....x', 20), ...samplesOf('..x', 20, 'kept')]
  const { windows } = ledgerOf(started(0), batch(200, samples)).status(at(200))
  assert.deepEqual(
    windows.map(({ lane, firstBadAt }) => [lane, firstBadAt]),
    [
      ['kept', at(40)],
      ['new', at(100)],
    ],
  )
})

test('a sample of an unknown lane is rejected', () => {
  const stray = aSample({ ms: 0, changes: { target: 'nowhere' } })
  assert.throws(() => ledgerOf(started(0), batch(20, [stray])), {
    message: /a sample of a lane that was not asked for: new nowhere$/,
  })
})
