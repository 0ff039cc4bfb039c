import { formatDuration } from '../../ground/model/duration.ts'
import type { ProbeStatus, ProbeTarget } from '../../ground/model/probe.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { measuredSince } from './availability/measured-time.ts'
import { isLatencyOwed, percentText, slowBaseline } from './stop/latency-rules.ts'

/** After this time without a verdict, beyond the requests' own time-out, nothing is being measured. */
const SILENT_LIMIT_MS = 3000
/** Of a probe that asks more seldom: so much of its period. */
const SILENT_PERIODS = 1.5

/**
 * Empty once traffic has been green for the whole baseline; before that no node is begun. Time that was not measured does not count: the
 * baseline lasts that much longer.
 */
export function baselineMissing(
  probe: ProbeStatus,
  now: WallMs,
  spec: Pick<RollSpec, 'probe' | 'stop'>,
): readonly Reason[] {
  const baselineMs = spec.probe?.baselineMs ?? 0
  const silent = probeSilent(probe, now, { targets: spec.probe?.targets ?? [], timeoutMs: 0 })
  if (silent.length > 0) return silent
  const since = measuredSince(probe, baselineMs)
  const bad = probe.windows.filter(
    (window) => !window.control && (window.firstOkAt ?? now) > (since ?? probe.startedAt),
  )
  const worst = bad[0]
  if (worst !== undefined) {
    const text = `${worst.failed} requests to ${worst.target} failed before the roll began: ${worst.firstError}`
    return [{ code: 'BaselineNotGreen', object: worst.target, text }]
  }
  const [slow] = slowBaseline(spec, probe)
  if (slow !== undefined) {
    const text = `more than ${percentText(slow.share)} of the requests to ${slow.target} took longer than ${formatDuration(slow.slowerThanMs)} before the roll began`
    return [{ code: 'BaselineSlow', object: slow.target, text }]
  }
  // Also of a lane whose period is longer than the baseline: it has not shown yet that it is green.
  const starved = probe.lanes.filter((lane) => lane.sent === 0)
  const isShort = since === undefined || isLatencyOwed(spec, probe) || probe.lanes.length === 0 || starved.length > 0
  if (!isShort) return []
  const isNotDue = since !== undefined && starved.some(({ scheduled }) => scheduled === 0)
  return [isNotDue || now - probe.startedAt < LATE_BASELINES * baselineMs ? short : trafficNotMeasured]
}

/** After so many times its length, a baseline is short because something keeps the probe from measuring. */
const LATE_BASELINES = 3

const short: Reason = { code: 'BaselineShort', text: 'traffic is measured before the roll begins' }
export const trafficNotMeasured: Reason = {
  code: 'TrafficNotMeasured',
  text: 'the probe cannot measure all of the time: it stands still, or starts again and again',
}

/** The reasons to hold while nothing is measured. `timeoutMs`: how long a request may take until its verdict. */
export function probeSilent(
  probe: ProbeStatus,
  now: WallMs,
  { targets, timeoutMs }: { readonly targets: readonly ProbeTarget[]; readonly timeoutMs: number },
): readonly Reason[] {
  const silentMs = now - (probe.lastVerdictAt ?? probe.startedAt)
  const periodMs = 1000 / Math.max(0, ...targets.map(({ ratePerSecond }) => ratePerSecond))
  const limitMs = Number.isFinite(periodMs) ? Math.max(SILENT_LIMIT_MS, SILENT_PERIODS * periodMs) : SILENT_LIMIT_MS
  if (silentMs <= limitMs + timeoutMs) return []
  return [{ code: 'ProbeSilent', text: `the probe has measured nothing for ${Math.round(silentMs / 1000)} s` }]
}
