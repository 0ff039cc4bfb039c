import { present } from '../../ground/model/present.ts'
import type { WindowDocument } from '../../roll/report/view/outcome-document.ts'
import { windowDocument } from '../../roll/report/view/outcome-document.ts'
import type { Judged } from '../judged-run.ts'
import type { RolloutEnd, RolloutKind } from './ingress-demo-actions.ts'

/** One line of the comparison, and one object of its JSON. */
export interface RolloutOutcome {
  readonly kind: RolloutKind
  readonly failedRequests: number
  readonly sentRequests: number
  /** Sent a second time, since their kept connection was closed before an answer. Absent: none. */
  readonly retriedRequests?: number
  readonly skippedRequests: number
  /** The longest window of failures of one lane, as bounds; absent: none failed. */
  readonly longestOutageMs?: { readonly low: number; readonly high: number | null }
  readonly seconds: number
  /** In the order in which they were done. */
  readonly nodes: readonly { readonly name: string; readonly seconds: number }[]
  /** The longest time for which the cluster did not run: above some 200 ms the figures mean little. */
  readonly stalledMs: number
  /** Of the answered requests, for the slower lane. */
  readonly p99Ms: number
  readonly windows: readonly WindowDocument[]
  /** Absent where the rollout finished. */
  readonly failure?: string
}

interface Rolled extends RolloutEnd {
  readonly nodes: RolloutOutcome['nodes']
}

export function rolloutOutcome(kind: RolloutKind, judged: Judged<Rolled>): RolloutOutcome {
  const { outcome, seconds, reading, stalledMs } = judged
  const windows = reading.status.windows.map((window) => windowDocument({ window, blame: [], reloads: [] }))
  const [longest] = windows.toSorted((a, b) => upper(b) - upper(a))
  return {
    kind,
    failedRequests: reading.failed,
    sentRequests: reading.sent,
    ...(reading.retried === 0 ? {} : { retriedRequests: reading.retried }),
    skippedRequests: reading.skipped,
    ...(longest === undefined ? {} : { longestOutageMs: { low: longest.lowMs, high: longest.highMs } }),
    seconds: tenths(seconds),
    nodes: outcome.nodes.map(({ name, seconds: took }) => ({ name, seconds: tenths(took) })),
    stalledMs: Math.round(stalledMs),
    p99Ms: Math.round(Math.max(...reading.lanes.map((lane) => lane.p99Ms))),
    windows,
    ...present({ failure: outcome.failure }),
  }
}

/** A window that was open at the end is longer than any other. */
const upper = ({ highMs }: WindowDocument): number => highMs ?? Number.POSITIVE_INFINITY

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10
