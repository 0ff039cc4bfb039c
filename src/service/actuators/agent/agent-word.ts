import type { Reason } from '../../../ground/model/reason.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { ConnectionsEnd, Noticing } from '../../decide/evidence.ts'
import { claimsUnreadable, ownClaim } from '../../decide/node-claims.ts'
import type { NodeServer } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import { type AdminState, type ServerRef, serverKey } from '../../model/balancer.ts'

/**
 * The agent has the claim of this run on disk and answers by it. After the announcement of the reboot this holds for an agent
 * that does not answer, too: it acknowledged the claim before, and the claim is still on the Node.
 */
export function isAcknowledged(s: ServiceSnapshot, { reading }: NodeServer): boolean {
  const endpoint = reading?.endpoint
  if (endpoint === undefined) return false
  if (!endpoint.heard) return s.announced
  const own = ownClaim(s)
  return endpoint.answer !== 'up' && own !== undefined && endpoint.acknowledged.includes(own.id)
}

/**
 * The agent keeps the claim of this owner from a Node object before this one, and the Node was registered anew without it. That ends
 * once the owner claims the node again and withdraws it.
 */
export const isKeptFromBefore = (s: ServiceSnapshot, { reading }: NodeServer): boolean =>
  reading?.endpoint?.kept?.some(({ owner, uid }) => owner === s.owner && uid !== s.node.uid) === true

/**
 * The state that a server is put back to. A node that another claim kept out before goes back to what that owner wants then,
 * once the claim of this run is withdrawn.
 */
export function stateBefore(s: ServiceSnapshot, { recorded, reading }: NodeServer): AdminState {
  if (reading?.endpoint === undefined || recorded.state === 'ready') return recorded.state
  return ownClaim(s) === undefined ? reading.ownState : 'ready'
}

/** What the checkers of this server have noticed so far; undefined where that is about the other way. */
export function noticingOf(s: ServiceSnapshot, { ref }: NodeServer, way: Noticing['way']): Noticing | undefined {
  const seen = s.evidence.noticing[serverKey(ref)]
  return seen?.way === way ? seen : undefined
}

/** How the wait for connections ended; undefined also until the checkers have noticed. */
export function connectionsEndOf(s: ServiceSnapshot, server: NodeServer): ConnectionsEnd | undefined {
  const endpoint = server.reading?.endpoint
  const since = noticingOf(s, server, 'out')?.noticed?.at
  if (endpoint === undefined || since === undefined) return undefined
  // A count from before the checkers had noticed does not include the clients that came later.
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
 * Undefined while connections are waited for. Connections that are left at the limit end with the pods that serve them. The
 * limit also ends the wait where connections cannot be counted.
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

/** The checkers of this server have not had enough such answers yet. */
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
