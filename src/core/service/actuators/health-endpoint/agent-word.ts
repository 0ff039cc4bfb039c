import { type AdminState, type ServerRef, serverKey } from '../../../../model/balancer.ts'
import { MAINTENANCE_ANNOTATION, parseMaintenance } from '../../../../model/maintenance.ts'
import type { Reason } from '../../../../model/reason.ts'
import type { MonoMs } from '../../../../model/time.ts'
import type { ConnectionsEnd, Noticing } from '../../evidence.ts'
import type { NodeServer } from '../../node-servers.ts'
import type { ServiceSnapshot } from '../../service-snapshot.ts'

/**
 * The agent has the request on disk and answers by it. Once the reboot is announced an agent that is not heard has it
 * still: it was acknowledged before, and is withdrawn by nothing but the Node without it.
 */
export function isAcknowledged(s: ServiceSnapshot, { reading, recorded }: NodeServer): boolean {
  const endpoint = reading?.endpoint
  if (endpoint === undefined) return false
  if (!endpoint.heard) return s.announced
  if (endpoint.answer === 'up') return false
  if (recorded.state !== 'ready') return true
  const word = parseMaintenance(s.node.annotations[MAINTENANCE_ANNOTATION])
  return word.kind === 'asked' && endpoint.acknowledged.includes(word.request.id)
}

/** The request that stands on the node is of this run. */
function isAskedByUs(s: ServiceSnapshot): boolean {
  const word = parseMaintenance(s.node.annotations[MAINTENANCE_ANNOTATION])
  return word.kind === 'asked' && word.request.run === s.owner
}

/**
 * What a server is put back to. Of a node that was out by somebody's request, whoever asked may have ended that meanwhile, upon
 * which this run asked in their place: then there is nothing to go back to, and what this run asked for is ended, too.
 */
export function stateBefore(s: ServiceSnapshot, { recorded, reading }: NodeServer): AdminState {
  if (reading?.endpoint === undefined || recorded.state === 'ready') return recorded.state
  return isAskedByUs(s) ? 'ready' : reading.ownState
}

/** Somebody else has asked meanwhile, or in words that make no sense: it is not ours to end. */
export function isAskedByOthers(s: ServiceSnapshot, { reading }: NodeServer): boolean {
  if (reading?.endpoint === undefined) return false
  const word = parseMaintenance(s.node.annotations[MAINTENANCE_ANNOTATION])
  return word.kind === 'unreadable' || (word.kind === 'asked' && word.request.run !== s.owner)
}

export const askedByOthers = ({ ref }: NodeServer): Reason => ({
  code: 'AskedByOthers',
  object: ref.server,
  text: `maintenance of ${ref.server} is asked for by somebody else now`,
  next: `remove the annotation ${MAINTENANCE_ANNOTATION} from ${ref.server} once nobody is at work on it`,
})

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
  // What was counted before they had noticed says nothing of who came after it.
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

export function notAcknowledged({ reading, ref }: NodeServer): Reason {
  if (reading?.endpoint?.heard !== true) return agentSilent(ref)
  const text = `the agent of ${ref.server} has not taken the request yet, and answers ${reading.endpoint.answer}`
  return { code: 'RequestNotTaken', object: ref.server, text }
}

/** The checks of those behind it go on, and not enough of them were answered so. */
export const notNoticed = ({ ref }: NodeServer, way: Noticing['way']): Reason => ({
  code: 'ChecksGoOn',
  object: ref.server,
  text: `load balancers are told that ${ref.server} ${way === 'out' ? 'leaves' : 'is back'}, and may not have noticed yet`,
})

export const agentSilent = ({ server }: ServerRef): Reason => ({
  code: 'AgentSilent',
  object: server,
  text: `the agent of ${server} does not answer`,
})
