import { formatDuration } from '../../ground/model/duration.ts'
import type { ProbeStatus } from '../../ground/model/probe.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { isLatencyOwed, percentText, slowBaseline } from './stop/latency-rules.ts'

/** After this time without a verdict, beyond the requests' own time-out, nothing is being measured. */
const SILENT_LIMIT_MS = 3000

/** Empty once traffic has been green for the whole baseline; before that no node is begun. */
export function baselineMissing(
  probe: ProbeStatus,
  now: WallMs,
  spec: Pick<RollSpec, 'probe' | 'stop'>,
): readonly Reason[] {
  const baselineMs = spec.probe?.baselineMs ?? 0
  const silent = probeSilent(probe, now, 0)
  if (silent.length > 0) return silent
  const bad = probe.windows.filter((window) => !window.control && (window.firstOkAt ?? now) > now - baselineMs)
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
  const starved = probe.lanes.filter((lane) => lane.sent === 0 && lane.scheduled > 0)
  const measuredMs = now - probe.startedAt
  if (measuredMs < baselineMs || isLatencyOwed(spec, probe) || probe.lanes.length === 0 || starved.length > 0) {
    return [{ code: 'BaselineShort', text: 'traffic is measured before the roll begins' }]
  }
  return []
}

/** The reasons to hold while nothing is measured. `timeoutMs`: how long a request may take until its verdict. */
export function probeSilent(probe: ProbeStatus, now: WallMs, timeoutMs: number): readonly Reason[] {
  const silentMs = now - (probe.lastVerdictAt ?? probe.startedAt)
  if (silentMs <= SILENT_LIMIT_MS + timeoutMs) return []
  return [{ code: 'ProbeSilent', text: `the probe has measured nothing for ${Math.round(silentMs / 1000)} s` }]
}
