import type { FailureWindow } from '../../../ground/model/probe.ts'
import { toIso } from '../../../ground/model/time.ts'
import { sureMs } from '../../decide/availability/downtime.ts'
import { isExcused } from '../../decide/availability/not-counted.ts'
import type { ProbeReading } from './probe-reading.ts'

export type ProbeOutcome = 'passed' | 'failed' | 'interrupted'

/** The document of `-o json`, which is also the last line of `-o jsonl`. Units are in the names. */
export function probeDocument(reading: ProbeReading, outcome: ProbeOutcome, failedAt1Hz: number): object {
  const { status, downtime } = reading
  return {
    outcome,
    failedRequests: reading.failed,
    sentRequests: reading.sent,
    retriedRequests: reading.retried,
    skippedRequests: reading.skipped,
    notCountedRequests: reading.notCountedFailed,
    notMeasuredMs: Math.round(reading.notMeasuredMs),
    measuredMs: Math.round(reading.measuredMs),
    startedAt: toIso(status.startedAt),
    downtimeLowMs: Math.round(downtime.lowMs),
    downtimeHighMs: Math.round(downtime.highMs),
    failedAt1Hz: Math.round(failedAt1Hz * 1_000) / 1_000,
    lanes: status.lanes,
    windows: status.windows.map(windowDocument),
    notMeasured: status.notMeasured.map(({ from, to }) => ({ from: toIso(from), to: toIso(to) })),
    servedBy: status.servedBy ?? {},
  }
}

export function windowDocument(window: FailureWindow): object {
  const {
    lastOkAt,
    firstBadAt,
    lastBadAt,
    firstOkAt,
    firstFailedAt: _failed,
    excused = 0,
    undecided: _undecided,
    ...rest
  } = window
  const known = lastOkAt !== undefined && firstOkAt !== undefined
  return {
    ...rest,
    ...(lastOkAt === undefined ? {} : { lastOkAt: toIso(lastOkAt) }),
    firstBadAt: toIso(firstBadAt),
    lastBadAt: toIso(lastBadAt),
    ...(firstOkAt === undefined ? {} : { firstOkAt: toIso(firstOkAt) }),
    lowMs: Math.round(sureMs(window)),
    ...(known ? { highMs: Math.round(firstOkAt - lastOkAt) } : {}),
    notCountedRequests: excused,
    notCounted: isExcused(window),
  }
}
