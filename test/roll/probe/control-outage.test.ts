import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, ProbeTarget } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { HttpVerdict } from '../../../src/ground/ports/http-probe.ts'
import { ProbeLedger } from '../../../src/roll/decide/availability/probe-ledger.ts'
import { judgedWindows } from '../../../src/roll/decide/awaits-control.ts'
import { Sampler } from '../../../src/roll/probe/sampler.ts'
import { aSnapshot, aSpec } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

const aTarget = (name: string, change: Partial<ProbeTarget>): ProbeTarget => ({
  name,
  url: 'http://127.0.0.1/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0.5,
  keptConnections: 8,
  timeoutMs: 2000,
  expectStatus: [200, 399],
  servedByHeader: 'x-served-by',
  ...change,
})

type Way = 'well' | 'refused' | 'mute'

function asked(way: Way, clock: VirtualClock, signal: AbortSignal): Promise<HttpVerdict> {
  const mute: HttpVerdict = { failure: 'connect', error: 'no answer' }
  if (way === 'mute') return new Promise((resolve) => signal.addEventListener('abort', () => resolve(mute)))
  const answer: HttpVerdict = way === 'well' ? {} : { failure: 'connect', error: 'ENETUNREACH' }
  return clock.sleep(2, never).then(() => answer)
}

/** When a stop rule first counts a failure, in ms of the run. */
async function measured(control: Partial<ProbeTarget>, wayOf: (target: ProbeTarget, ms: number) => Way) {
  const clock = new VirtualClock()
  const targets = [aTarget('shop', {}), aTarget('control', { control: true, ...control })]
  const ledger = new ProbeLedger(targets, clock.wallMs())
  ledger.baseline({ from: clock.wallMs(), to: wallMs(clock.wallMs() + 2500) })
  const begun = clock.wallMs()
  let countedMs: number | undefined
  const spec = aSpec({ probe: { targets, baselineMs: 0, baselineLimitMs: 60_000 } })
  const whole = aSnapshot()
  const look = (): void => {
    const probe = ledger.status(clock.wallMs())
    const s = { ...whole, run: { ...whole.run, measuredSince: begun }, probe, spec, wall: clock.wallMs() }
    if (judgedWindows(s).length > 0) countedMs ??= clock.wallMs() - begun
  }
  const stop = new AbortController()
  const sampler = new Sampler({
    targets,
    clock,
    http: { ask: (target, _lane, signal) => asked(wayOf(target, clock.wallMs() - begun), clock, signal) },
    emit: (signal) => {
      ledger.apply(signal)
      look()
    },
  })
  const run = sampler.run(stop.signal)
  await clock.advance(16_000)
  stop.abort()
  await clock.advance(6000)
  await run
  return countedMs
}

const CONTROLS: readonly Partial<ProbeTarget>[] = [{ ratePerSecond: 10 }, { ratePerSecond: 1 }, { timeoutMs: 5000 }]
const BEGINS: readonly number[] = [3000, 3137, 3274, 3411]

for (const control of CONTROLS) {
  for (const way of ['refused', 'mute'] as const) {
    test(`law: a control that was green in the baseline excuses what failed while it got no answer, and nothing else; an outage of the prober’s own network counts at no moment: ${way}, ${JSON.stringify(control)}`, async () => {
      for (const from of BEGINS) {
        const countedMs = await measured(control, (_, ms) => (ms >= from && ms < from + 4500 ? way : 'well'))
        assert.equal(countedMs, undefined, `an outage from ${from} ms on`)
      }
    })
  }
}

test('a failure that the control does not share counts as soon as the control has answered after it', async () => {
  const countedMs = await measured({ ratePerSecond: 10 }, ({ control }, ms) =>
    ms >= 3000 && !control ? 'refused' : 'well',
  )
  assert.ok(countedMs !== undefined && countedMs >= 3200 && countedMs <= 3300, `${countedMs}`)
})

test('a failure counts at once where the control has never answered: there is nothing to wait for', async () => {
  const countedMs = await measured({}, ({ control }, ms) => (control || ms >= 3000 ? 'refused' : 'well'))
  assert.ok(countedMs !== undefined && countedMs >= 3000 && countedMs <= 3060, `${countedMs}`)
})

/** Windows of which a stop rule takes note at that time, of a prober that is slow to settle. */
function judgedAt(ms: number, counts: Pick<FailureWindow, 'failed' | 'excused' | 'undecided'>): number {
  const targets = [aTarget('shop', {}), aTarget('control', { control: true, ratePerSecond: 10 })]
  const window: FailureWindow = {
    target: 'shop',
    control: false,
    lane: 'new',
    sent: 5,
    failures: { connect: 5 },
    firstError: 'ECONNREFUSED',
    firstBadAt: wallMs(10_000),
    lastBadAt: wallMs(10_000),
    ...counts,
  }
  const probe = {
    startedAt: wallMs(0),
    settledBefore: wallMs(9000),
    lanes: [],
    windows: [window],
    notMeasured: [],
    greenStreak: 0,
  }
  const whole = aSnapshot()
  const spec = aSpec({ probe: { targets, baselineMs: 0, baselineLimitMs: 60_000 } })
  const run = { ...whole.run, measuredSince: wallMs(0) }
  return judgedWindows({ ...whole, run, probe, spec, wall: wallMs(ms) }).length
}

test('a verdict still comes where the prober is slow to settle: past the control’s time-out the failure counts', () => {
  const undecided = { failed: 1, since: wallMs(10_000) }
  assert.equal(judgedAt(13_199, { failed: 1, undecided }), 0)
  assert.equal(judgedAt(13_200, { failed: 1, undecided }), 1)
})

test('a window counts as soon as one of its failures can be excused no more, whatever is undecided', () => {
  const undecided = { failed: 2, since: wallMs(10_000) }
  assert.equal(judgedAt(10_001, { failed: 5, excused: 2, undecided }), 1)
  assert.equal(judgedAt(10_001, { failed: 5, excused: 3, undecided }), 0)
  assert.equal(judgedAt(60_000, { failed: 5, excused: 5 }), 0)
})
