import { invariant } from '../ground/model/invariant.ts'
import type { ProbeTarget } from '../ground/model/probe.ts'
import type { Clock } from '../ground/ports/clock.ts'
import { type ProbeReading, readProbe } from '../roll/cli/probe/probe-reading.ts'
import { LedgerProbe } from '../roll/probe/ledger-probe.ts'
import type { DemoActions } from './demo-actions.ts'

/** The counts of the judge for one plan, from a second before it until its last request could have been answered. */
export interface Judged<T> {
  readonly outcome: T
  /** Of the plan alone. */
  readonly seconds: number
  readonly reading: ProbeReading
  readonly failedAt1Hz: number
  /** The longest time for which this process, and the cluster in it, did not run. */
  readonly stalledMs: number
}

interface JudgeParts {
  readonly clock: Clock
  readonly url: string
  readonly actions: Pick<DemoActions, 'probeSource'>
  /** Four times a second. */
  readonly onReading: (reading: ProbeReading) => void
}

/** Requests a second. */
export const JUDGE_RATE = 100
const LEAD_MS = 1_000
/** As long as a request may take, and a little more. */
const TRAIL_MS = 2_200
const START_LIMIT_MS = 20_000
const POLL_EVERY_MS = 250

const targetOf = (url: string): ProbeTarget => ({
  name: url,
  url,
  control: false,
  ratePerSecond: JUDGE_RATE,
  keptShare: 0.5,
  keptConnections: 8,
  timeoutMs: 2_000,
  expectStatus: [200, 399],
  servedByHeader: 'X-Served-By',
})

/** Lets the product's own prober, in a process of its own, judge the work. */
export async function judgedRun<T>(
  { clock, url, actions, onReading }: JudgeParts,
  act: () => Promise<T>,
  signal: AbortSignal,
): Promise<Judged<T>> {
  const targets = [targetOf(url)]
  const stop = new AbortController()
  const started = Promise.withResolvers<void>()
  const probe = new LedgerProbe({
    targets,
    source: actions.probeSource(targets),
    clock,
    onStart: () => started.resolve(),
  })
  const running = probe.run(() => undefined, stop.signal)
  const ticking = new AbortController()
  const read = (): ProbeReading => readProbe(probe.status(), targets, clock.wallMs())
  const stall = { longestMs: 0 }
  const ticks = tick({ clock, stall, read: () => onReading(read()) }, ticking.signal)
  try {
    await Promise.race([started.promise, clock.sleep(START_LIMIT_MS, signal)])
    await clock.sleep(LEAD_MS, signal)
    const begunAt = clock.monoMs()
    const outcome = await act()
    const seconds = (clock.monoMs() - begunAt) / 1_000
    await clock.sleep(TRAIL_MS, signal)
    const stoppedAt = clock.wallMs()
    stop.abort(new Error('the plan is over'))
    await running
    const reading = readProbe(probe.status(), targets, stoppedAt)
    invariant(reading.sent > 0, 'the prober sent nothing')
    return { outcome, seconds, reading, failedAt1Hz: probe.ledger.failedAt1Hz(), stalledMs: stall.longestMs }
  } finally {
    ticking.abort()
    stop.abort(new Error('the demo is over'))
    await Promise.all([running, ticks])
  }
}

interface Ticking {
  readonly clock: Clock
  readonly stall: { longestMs: number }
  readonly read: () => void
}

/** A delay here was a delay for every pod. */
async function tick({ clock, stall, read }: Ticking, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      const dueAtMs = clock.monoMs() + POLL_EVERY_MS
      await clock.sleep(POLL_EVERY_MS, signal)
      stall.longestMs = Math.max(stall.longestMs, clock.monoMs() - dueAtMs)
      read()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
