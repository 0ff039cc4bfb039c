import { present } from '../../../ground/model/present.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import { leaveMs, refusalsNeeded, returnMs, soonestLeaveMs } from '../../decide/detection-time.ts'
import type { Noticing } from '../../decide/evidence.ts'
import type { EndpointReading, HealthEndpointSpec } from '../../model/health-endpoint.ts'

interface Seen {
  readonly way: 'out' | 'in'
  readonly reading: EndpointReading
  readonly spec: HealthEndpointSpec
  readonly now: MonoMs
}

/**
 * Folds a poll into what was seen before. Checks are counted per checker, never per address alone: with three backends
 * behind one address the third refusal came 4 s before the last of them had left. After the last count one interval more
 * has to pass, in which a checker that was behind catches up. Evidence makes up for the slack, never for the checks themselves:
 * one address may be that of a slow checker and of a fast one, whose answers are counted together.
 */
export function notice(before: Noticing | undefined, { way, reading, spec, now }: Seen): Noticing {
  if (before?.way === way && before.noticed !== undefined) {
    const { silentSince: _heardAgain, ...noticed } = before
    return noticed
  }
  const since = before?.way === way ? before.since : now
  const { checks } = spec
  const heardSince = haveHeard(way, reading, spec)
    ? ((before?.way === way ? before.heardSince : undefined) ?? now)
    : undefined
  const seen: Noticing = { way, since, ...present({ heardSince }) }
  const worstMs = way === 'out' ? leaveMs(checks) : returnMs(checks)
  // In a large cluster not every poll asks every agent: what it has answered since is not known.
  const asOf = Math.min(now, reading.at)
  if (asOf - since >= worstMs) return { ...seen, noticed: { by: 'time', at: now } }
  const isOver =
    heardSince !== undefined && asOf - heardSince >= checks.intervalMs && asOf - since >= worstMs - checks.slackMs
  return isOver ? { ...seen, noticed: { by: 'checks', at: now } } : seen
}

/**
 * Of an agent that is not heard: on the way out it goes on refusing; on the way in those who check it may leave again, and
 * must notice anew that it is back.
 */
export function unheard(before: Noticing | undefined, { checks }: HealthEndpointSpec, now: MonoMs) {
  if (before?.way !== 'in') return before
  const silentSince = before.silentSince ?? now
  return now - silentSince >= soonestLeaveMs(checks) ? undefined : { ...before, silentSince }
}

/** Sources that are not declared shorten nothing: a kubelet, Prometheus, a person with curl. */
function haveHeard(way: 'out' | 'in', { polls }: EndpointReading, { checks, checkers }: HealthEndpointSpec): boolean {
  const each = way === 'out' ? refusalsNeeded(checks) : checks.rise
  const declared = Object.entries(checkers)
  return declared.length > 0 && declared.every(([address, count]) => (polls[address] ?? 0) >= each * count)
}
