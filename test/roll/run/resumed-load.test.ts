import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, LaneSummary, ProbeStatus, ProbeTarget } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { LoadTick, RollEvent } from '../../../src/roll/model/roll-event.ts'
import type { Probe } from '../../../src/roll/ports/probe.ts'
import type { LoadBefore } from '../../../src/roll/run/load-before.ts'
import { LoadWatch } from '../../../src/roll/run/load-watch.ts'
import { at } from '../../support/journaled.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const SHOP: ProbeTarget = {
  name: 'shop',
  url: 'https://app.example.com/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2000,
  expectStatus: [200, 399],
  servedByHeader: 'X-Served-By',
}

const lane = (sent: number, failed: number): LaneSummary => ({
  target: 'shop',
  control: false,
  lane: 'new',
  scheduled: sent + 1,
  sent,
  skipped: 1,
  failed,
  slow: 0,
  p50Ms: 3,
  p90Ms: 5,
  p99Ms: 12,
  maxMs: 20,
  startErrorP99Ms: 1,
})

const facts = (change: Partial<ProbeStatus> = {}): ProbeStatus => ({
  startedAt: wallMs(at('06:10:00')),
  lanes: [lane(0, 0)],
  windows: [],
  notMeasured: [],
  greenStreak: 0,
  ...change,
})

const BEFORE: LoadBefore = {
  sent: 25_600,
  failed: 6,
  skipped: 4,
  strays: 2,
  notMeasuredMs: 1_000,
  until: wallMs(at('06:08:45')),
  failedOf: { n2: 6 },
  unreported: 0,
}

/** A probe whose facts a test sets, and the watch that reads them. */
function watching(before?: LoadBefore) {
  let now = facts()
  const baselines: (readonly [number, number])[] = []
  const probe: Probe = {
    run: () => Promise.resolve(),
    status: () => now,
    windows: () => now.windows,
    baseline: (from, to) => void baselines.push([from, to]),
  }
  const events: RollEvent[] = []
  const watch = new LoadWatch({
    probe,
    spec: { targets: [SHOP], baselineMs: 10_000, baselineLimitMs: 120_000 },
    clock: new VirtualClock(),
    steps: () => [{ node: 'n2', step: 'attach', startedAt: wallMs(at('06:10:04')) }],
    reloads: () => [],
    answeredSince: () => true,
    strays: () => 1,
    emit: (event) => events.push(event),
    ...(before === undefined ? {} : { before }),
  })
  return { watch, events, baselines, knows: (change: Partial<ProbeStatus>) => (now = facts(change)) }
}

const WINDOW: FailureWindow = {
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 3,
  failed: 3,
  failures: { connect: 3 },
  firstError: 'ECONNREFUSED',
  lastOkAt: wallMs(at('06:10:04.990')),
  firstBadAt: wallMs(at('06:10:05')),
  lastBadAt: wallMs(at('06:10:05.020')),
  firstOkAt: wallMs(at('06:10:05.030')),
}

test('a run that begins counts from the end of its baseline', () => {
  const { watch, knows } = watching()
  knows({ lanes: [lane(1_000, 2)] })
  watch.baselineEnded(wallMs(at('06:10:10')))
  knows({ lanes: [lane(3_000, 2)], notMeasured: [{ from: wallMs(at('06:10:20')), to: wallMs(at('06:10:20.400')) }] })
  const { sent, failed, skipped, strays, notMeasuredMs } = watch.tick()
  assert.deepEqual(
    { sent, failed, skipped, strays, notMeasuredMs },
    { sent: 2_000, failed: 0, skipped: 0, strays: 1, notMeasuredMs: 400 },
  )
})

test('the totals of a baseline say that they are, until it is over; those of a resumed run count at once', () => {
  const begun = watching()
  begun.knows({ lanes: [lane(600, 2)] })
  assert.deepEqual([begun.watch.tick().sent, begun.watch.tick().inBaseline], [600, true])
  begun.watch.baselineEnded(wallMs(at('06:10:10')))
  assert.deepEqual([begun.watch.tick().sent, begun.watch.tick().inBaseline], [0, undefined])
  assert.equal(watching(BEFORE).watch.tick().inBaseline, undefined)
})

test('a resumed run adds to what was measured before, and to what was not the time in between', () => {
  const { watch, knows } = watching(BEFORE)
  const windows = [{ ...WINDOW, failed: 2 }]
  knows({
    lanes: [lane(1_000, 2)],
    windows,
    notMeasured: [{ from: wallMs(at('06:10:02')), to: wallMs(at('06:10:02.400')) }],
  })
  const { sent, failed, skipped, strays, notMeasuredMs } = watch.tick()
  assert.deepEqual(
    { sent, failed, skipped, strays, notMeasuredMs },
    { sent: 26_600, failed: 8, skipped: 5, strays: 3, notMeasuredMs: 76_400 },
  )
})

test('retried requests are added to those before, and those of the baseline of a run that begins are not counted', () => {
  const retried = (count: number) => ({ lanes: [{ ...lane(1_000, 0), retried: count }] })
  const resumed = watching({ ...BEFORE, retried: 3 })
  resumed.knows(retried(2))
  assert.equal(resumed.watch.tick().retried, 5)
  const begun = watching()
  begun.knows(retried(2))
  begun.watch.baselineEnded(wallMs(at('06:10:10')))
  assert.equal(begun.watch.tick().retried, undefined)
  begun.knows(retried(6))
  assert.equal(begun.watch.tick().retried, 4)
})

test('the baseline of a resumed run takes nothing away: a node may be out in it', () => {
  const { watch, knows } = watching(BEFORE)
  knows({ lanes: [lane(1_000, 2)], windows: [{ ...WINDOW, failed: 2 }] })
  watch.baselineEnded(wallMs(at('06:10:10')))
  assert.deepEqual([watch.tick().sent, watch.tick().failed], [26_600, 8])
})

test('what fails before traffic is green again is reported where a run is resumed, and not where one begins', () => {
  const begun = watching()
  begun.knows({ windows: [WINDOW] })
  begun.watch.changed()
  assert.deepEqual(begun.events, [])
  const resumed = watching(BEFORE)
  resumed.knows({ windows: [WINDOW] })
  resumed.watch.changed()
  assert.deepEqual(
    resumed.events.map(({ type }) => type),
    ['window.opened', 'window.closed'],
  )
  assert.equal(resumed.watch.failedIn('n2'), 9)
})

test('a window that is over is reported once, however often it is looked at', () => {
  const { watch, events, knows } = watching(BEFORE)
  knows({ windows: [WINDOW] })
  for (let look = 0; look < 3; look += 1) watch.changed()
  assert.deepEqual(
    events.map(({ type }) => type),
    ['window.opened', 'window.closed'],
  )
})

test('a window that a control excuses is marked as the prober’s; one that it excuses in part is not, and is blamed', () => {
  const closedWith = (excused: number) => {
    const { watch, events, knows } = watching(BEFORE)
    knows({ windows: [{ ...WINDOW, excused }] })
    watch.changed()
    const last = events.findLast((event) => event.type === 'window.closed')
    return last?.type === 'window.closed' ? [last.excused, last.window.excused, last.blame[0]?.node] : []
  }
  assert.deepEqual(closedWith(3), [true, 3, undefined])
  assert.deepEqual(closedWith(2), [undefined, 2, 'n2'])
})

test('a window is reported as over once it is known what a control excuses of it', () => {
  const { watch, events, knows } = watching(BEFORE)
  knows({ windows: [{ ...WINDOW, undecided: { failed: 3, since: wallMs(at('06:10:05')) } }] })
  watch.changed()
  assert.deepEqual(
    events.map(({ type }) => type),
    ['window.opened'],
  )
  knows({ windows: [{ ...WINDOW, excused: 3 }] })
  watch.changed()
  assert.deepEqual(
    events.map((event) => [event.type, event.type === 'window.closed' && event.excused]),
    [
      ['window.opened', false],
      ['window.closed', true],
    ],
  )
})

test('excused requests are counted apart, those of earlier processes with them; undecided ones count at the end alone', () => {
  const { watch, knows } = watching({ ...BEFORE, excused: 5 })
  const undecided = { failed: 4, since: wallMs(at('06:10:05')) }
  knows({ lanes: [lane(1_000, 20)], windows: [{ ...WINDOW, failed: 20, excused: 9, undecided }] })
  const counted = ({ sent, failed, excused }: LoadTick) => [sent, failed, excused]
  assert.deepEqual(counted(watch.tick()), [26_600, 6 + 7, 14])
  assert.deepEqual(counted(watch.tick(true)), [26_600, 6 + 11, 14])
  assert.equal(watch.failedIn('n2'), 6 + 11)
})

test('the baseline that controls are judged by is the one that was green, and a control that was not is warned of', () => {
  const { watch, events, baselines, knows } = watching()
  knows({ greenStreak: 900, redControls: ['elsewhere'] })
  watch.baselineEnded(wallMs(at('06:10:10')))
  assert.deepEqual(baselines, [[at('06:10:00'), at('06:10:10')]])
  assert.deepEqual(events, [
    { type: 'baseline.ended', sent: 900, p99Ms: 12 },
    { type: 'warning', text: 'elsewhere failed in the baseline, so it excuses no failed request' },
  ])
})

test('before the prober has begun, the time since the last process’s word is not measured', () => {
  const { watch, knows } = watching(BEFORE)
  const now = wallMs(at('06:10:00.500'))
  knows({ lanes: [], notMeasured: [{ from: wallMs(at('06:10:00')), to: now }] })
  assert.equal(watch.tick().notMeasuredMs, 1_000 + (now - BEFORE.until))
})
