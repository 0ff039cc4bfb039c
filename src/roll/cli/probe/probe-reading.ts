import type { FailureWindow, LaneSummary, ProbeStatus, ProbeTarget } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { type Bounds, downtime, lengthMs, union } from '../../decide/availability/downtime.ts'
import { excusedOf, isExcused } from '../../decide/availability/not-counted.ts'

/** `servedBy`: how often each server answered, by its name; absent until the end. */
type ReadStatus = ProbeStatus & { readonly servedBy?: Readonly<Record<string, number>> }

/** The result of a probe. Controls are counted apart, and failures whose cause is the prober itself are only listed. */
export interface ProbeReading {
  readonly status: ReadStatus
  readonly targets: readonly ProbeTarget[]
  readonly lanes: readonly LaneSummary[]
  /** `isGreen`: it may excuse failures, since none of its own requests failed at first. */
  readonly control: { readonly sent: number; readonly failed: number; readonly isGreen: boolean } | undefined
  readonly sent: number
  /** Failures that count against the targets. */
  readonly failed: number
  /** Windows of targets with a failed request that counts. */
  readonly held: readonly FailureWindow[]
  readonly notCountedFailed: number
  /** Requests that were sent a second time, since their kept connection was closed before an answer. */
  readonly retried: number
  readonly skipped: number
  readonly notMeasuredMs: number
  readonly downtime: Bounds
  readonly measuredMs: number
}

export function readProbe(status: ReadStatus, targets: readonly ProbeTarget[], now: WallMs): ProbeReading {
  const lanes = status.lanes.filter((lane) => !lane.control)
  const controls = status.lanes.filter((lane) => lane.control)
  const isGreen = (status.redControls ?? []).length === 0
  const held = status.windows.filter((window) => !window.control && !isExcused(window))
  const notCountedFailed = excusedOf(status.windows)
  return {
    status,
    targets,
    lanes,
    control:
      controls.length === 0 ? undefined : { sent: sumOf(controls, 'sent'), failed: sumOf(controls, 'failed'), isGreen },
    sent: sumOf(lanes, 'sent'),
    failed: sumOf(lanes, 'failed') - notCountedFailed,
    held,
    notCountedFailed,
    retried: lanes.reduce((sum, { retried = 0 }) => sum + retried, 0),
    skipped: sumOf(lanes, 'skipped'),
    notMeasuredMs: lengthMs(union(status.notMeasured)),
    downtime: downtime(held, { from: status.startedAt, to: now, notMeasured: status.notMeasured }),
    measuredMs: Math.max(0, now - status.startedAt),
  }
}

const sumOf = <K extends string>(rows: readonly Readonly<Record<K, number>>[], key: K): number =>
  rows.reduce((sum, row) => sum + row[key], 0)
