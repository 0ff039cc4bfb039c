import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { comparePage } from '../../../src/roll/report/compare/compare-page.ts'
import { fittedReport } from '../../../src/roll/report/fitted-report.ts'
import { type ReportDocument, reportDocument } from '../../../src/roll/report/report-document.ts'
import { SPEC } from './fixed-spec.ts'
import { heldRun } from './held-run.ts'
import { latencyOfRun } from './latency-of-run.ts'
import { cleanRun, failedRun, hostileRun, keptOutRun, longRun } from './report-runs.ts'

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
