import type { LatencySecond } from '../../../src/roll/model/latency-second.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { comparePage } from '../../../src/roll/report/compare/compare-page.ts'
import { fittedReport } from '../../../src/roll/report/fitted-report.ts'
import { type ReportDocument, reportDocument } from '../../../src/roll/report/report-document.ts'
import { SPEC } from './fixed-spec.ts'
import { heldRun } from './held-run.ts'
import { cleanRun, failedRun, hostileRun, keptOutRun, longRun } from './report-runs.ts'

/** The latency of each second of a run: some 3 ms, more while pods move, with a peak here and there; the same at every call. */
function latencyOfRun(events: readonly StampedEvent[]): readonly LatencySecond[] {
  const from = Math.floor(Date.parse(events[0]?.at ?? '') / 1000)
  const to = Math.floor(Date.parse(events.at(-1)?.at ?? '') / 1000)
  const failed = failuresIn(events)
  const drains = spansOf(events, 'drain')
  return Array.from({ length: to - from }, (_, index) => {
    const start = (from + index) * 1000
    const wave = 1 + 0.25 * Math.sin(index / 9) + 0.15 * Math.sin(index * 1.7)
    const busy = drains.some(([begin, end]) => begin <= start && start < end) ? 1.8 : 1
    const peak = index % 97 === 41 ? 9 : 1
    const p50Ms = round(3.1 * wave)
    const p99Ms = round(11 * wave * busy * (peak === 1 ? 1 : 2.2))
    const lost = failed.get(from + index) ?? 0
    return {
      at: new Date(start).toISOString(),
      good: 100 - Math.min(100, lost),
      failed: lost,
      p50Ms,
      p99Ms,
      maxMs: round(p99Ms * 1.4 * peak),
    }
  })
}

const round = (ms: number): number => Math.round(ms * 100) / 100

function failuresIn(events: readonly StampedEvent[]): ReadonlyMap<number, number> {
  const failed = new Map<number, number>()
  for (const event of events) {
    if (event.type !== 'window.closed') continue
    const second = Math.floor(event.window.firstBadAt / 1000)
    failed.set(second, (failed.get(second) ?? 0) + event.window.failed)
  }
  return failed
}

function spansOf(events: readonly StampedEvent[], step: string): readonly (readonly [number, number])[] {
  const at = (type: string): readonly number[] =>
    events.flatMap((event) =>
      event.type === type && 'step' in event && event.step === step ? [Date.parse(event.at)] : [],
    )
  const ends = at('step.ended')
  return at('step.started').map((start, index) => [start, ends[index] ?? Number.POSITIVE_INFINITY])
}

const ORIGIN = {
  context: 'prod-eu1',
  server: 'https://k8s.prod-eu1.example.com:6443',
  user: 'alice@example.com',
  reason: 'kernel 6.1.140 on every worker',
}

/** A run as its journal, with latency over time, tells it. */
export const measured = (events: readonly StampedEvent[]): ReportDocument =>
  reportDocument({
    events: events.map((event) => (event.type === 'roll.started' ? { ...event, ...ORIGIN } : event)),
    spec: SPEC,
    tool: '0.1.0',
    journal: '/home/alice/.local/state/evenkeel/20261121T061439Z-1f0e/journal.jsonl',
    latency: latencyOfRun(events),
  })

/** Of a demo: its own prober asks five times as often as the probe of the roll. */
const demo = (): ReportDocument => {
  const events = cleanRun()
  const plan = { windows: [], seconds: 312, sentRequests: 31_200, strays: 0 } as const
  return reportDocument({
    events,
    spec: SPEC,
    latency: latencyOfRun(events),
    judged: {
      ratePerSecond: 100,
      plans: [
        {
          ...plan,
          name: 'naive',
          failedRequests: 179,
          failedAt1Hz: 10,
          downtimeMs: { low: 1_620, high: 1_840 },
          strays: 41,
        },
        { ...plan, name: 'evenkeel', failedRequests: 0, failedAt1Hz: 0, downtimeMs: { low: 0, high: 0 } },
      ],
    },
  })
}

/** Every kind of page that people get to see. */
export const REPORT_PAGES: Readonly<Record<string, () => string>> = {
  done: () => fittedReport(measured(cleanRun())).html,
  stopped: () => fittedReport(measured(failedRun())).html,
  held: () => fittedReport(measured(heldRun())).html,
  demo: () => fittedReport(demo()).html,
  withoutLatency: () => fittedReport(reportDocument({ events: failedRun() })).html,
  hostile: () => fittedReport(measured(hostileRun())).html,
  compared: () => comparePage([measured(cleanRun()), measured(keptOutRun())]),
  sixtyNodes: () => fittedReport(measured(longRun())).html,
}
