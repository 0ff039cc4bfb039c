import { formatMinSec } from '../ground/model/duration.ts'
import { countText } from '../ground/text/count-text.ts'
import { type Column, tableLines } from '../ground/text/table-lines.ts'
import { boundsText } from '../ground/text/time-text.ts'
import { shareText } from '../roll/decide/availability/confidence.ts'
import type { PlanOutcome } from './plan-outcome.ts'

const COLUMNS: readonly Column[] = [
  { title: 'plan', align: 'left' },
  ...['time', 'sent', 'failed', 'share'].map((title): Column => ({ title, align: 'right' })),
  { title: 'downtime', align: 'left' },
  { title: 'at 1/s', align: 'right' },
]

/** The comparison, in the order in which the plans ran: it never depends on the result. */
export const demoTable = (plans: readonly PlanOutcome[]): readonly string[] =>
  tableLines(COLUMNS, plans.map(row)).map((line) => line.slice(2))

function row({ name, seconds, sentRequests, failedRequests, downtimeMs, failedAt1Hz }: PlanOutcome): readonly string[] {
  return [
    name,
    formatMinSec(seconds * 1_000),
    countText(sentRequests),
    countText(failedRequests),
    shareText(failedRequests, sentRequests),
    failedRequests === 0 ? 'none seen' : boundsText(downtimeMs.low, downtimeMs.high),
    failedAt1Hz === 0 ? '0' : failedAt1Hz.toFixed(failedAt1Hz < 10 ? 1 : 0),
  ]
}
