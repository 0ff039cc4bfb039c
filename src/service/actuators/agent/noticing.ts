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
 * Adds a poll to what was seen before. Checks are counted for each checker, never for an address alone: with three backends
 * behind one address the third refusal came 4 s before the last backend had left. After the last count one more interval has to
 * pass, in which a slow checker catches up. Evidence can replace the slack, never the checks: a slow and a fast checker may
 * share one address, and their answers are counted together.
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
  // In a large cluster not every poll asks every agent: what the agent has answered since is not known.
  const asOf = Math.min(now, reading.at)
  if (asOf - since >= worstMs) return { ...seen, noticed: { by: 'time', at: now } }
  const isOver =
    heardSince !== undefined && asOf - heardSince >= checks.intervalMs && asOf - since >= worstMs - checks.slackMs
  return isOver ? { ...seen, noticed: { by: 'checks', at: now } } : seen
}

/**
 * For an agent that does not answer. On the way out it goes on refusing checks. On the way in its checkers may leave again, and
 * must notice anew that the node is back.
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
