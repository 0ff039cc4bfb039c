import type { Reason } from '../../../ground/model/reason.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { ConnectionsEnd, Noticing } from '../../decide/evidence.ts'
import { claimsUnreadable, ownClaim } from '../../decide/node-claims.ts'
import type { NodeServer } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import { type AdminState, type ServerRef, serverKey } from '../../model/balancer.ts'

/**
 * The agent has the claim of this run on disk and answers by it. Once the reboot is announced an agent that is not heard has it
 * still: it was acknowledged before, and is withdrawn by nothing but the Node without it.
 */
export function isAcknowledged(s: ServiceSnapshot, { reading }: NodeServer): boolean {
  const endpoint = reading?.endpoint
  if (endpoint === undefined) return false
  if (!endpoint.heard) return s.announced
  const own = ownClaim(s)
  return endpoint.answer !== 'up' && own !== undefined && endpoint.acknowledged.includes(own.id)
}

/**
 * What a server is put back to. A node that another claim had out before goes back to what that owner wants by then, once
 * the claim of this run is withdrawn.
 */
export function stateBefore(s: ServiceSnapshot, { recorded, reading }: NodeServer): AdminState {
  if (reading?.endpoint === undefined || recorded.state === 'ready') return recorded.state
  return ownClaim(s) === undefined ? reading.ownState : 'ready'
}

/** What those who check it have noticed so far, where that is of the way that is asked for. */
export function noticingOf(s: ServiceSnapshot, { ref }: NodeServer, way: Noticing['way']): Noticing | undefined {
  const seen = s.evidence.noticing[serverKey(ref)]
  return seen?.way === way ? seen : undefined
}

/** Undefined also before those who check it have noticed. */
export function connectionsEndOf(s: ServiceSnapshot, server: NodeServer): ConnectionsEnd | undefined {
  const endpoint = server.reading?.endpoint
  const since = noticingOf(s, server, 'out')?.noticed?.at
  if (endpoint === undefined || since === undefined) return undefined
  // A count from before they had noticed says nothing of the clients that came after it.
  const left = endpoint.at >= since ? endpoint.connections : 'unknown'
  return connectionsEnd({ left, since, now: s.now, idleLimitMs: s.limits.idleLimitMs })
}

interface Waited {
  readonly left: ConnectionsEnd['left']
  readonly since: MonoMs
  readonly now: MonoMs
  readonly idleLimitMs: number
}

/**
 * Undefined while they are waited for. What is left at the limit ends with the pods that serve it; the limit decides too
 * where connections cannot be seen.
 */
function connectionsEnd({ left, since, now, idleLimitMs }: Waited): ConnectionsEnd | undefined {
  if (left === 0) return { by: 'connections', left, since, at: now }
  return now - since >= idleLimitMs ? { by: 'limit', left, since, at: now } : undefined
}

export function notAcknowledged(s: ServiceSnapshot, { reading, ref }: NodeServer): Reason {
  const unreadable = claimsUnreadable(s)
  if (unreadable !== undefined) return unreadable
  if (reading?.endpoint?.heard !== true) return agentSilent(ref)
  const text = `the agent of ${ref.server} has not read the request yet, and answers ${reading.endpoint.answer}`
  return { code: 'RequestNotTaken', object: ref.server, text }
}

/** The checks of those behind it go on, and not enough of them were answered so. */
export const notNoticed = ({ ref }: NodeServer, way: Noticing['way']): Reason => ({
  code: 'ChecksGoOn',
  object: ref.server,
  text: `${ref.server} ${way === 'out' ? 'leaves' : 'is back'}, and its load balancers may not have noticed yet`,
})

export const agentSilent = ({ server }: ServerRef): Reason => ({
  code: 'AgentSilent',
  object: server,
  text: `the agent of ${server} does not answer`,
})
