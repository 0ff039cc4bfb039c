import { type AdminState, type ServerRef, serverKey } from '../../../../model/balancer.ts'
import type { EndpointReading, HealthEndpointSpec } from '../../../../model/health-endpoint.ts'
import { MAINTENANCE_ANNOTATION, parseMaintenance } from '../../../../model/maintenance.ts'
import type { Reason } from '../../../../model/reason.ts'
import { type NodeServer, wasServing } from '../../node-servers.ts'
import type { ServiceSnapshot } from '../../service-snapshot.ts'
import type { Actuator, ReadingWords } from '../actuator.ts'
import { asAsked } from './as-asked.ts'
import { asUsed } from './as-used.ts'
import { type ConnectionsEnd, connectionsEnd } from './connections-end.ts'
import { type Noticing, notice, unheard } from './noticing.ts'

/**
 * Balancers that have nothing but a health check. The node's agent is asked by an annotation of the Node, refuses their
 * checks, and counts for itself; that they have noticed is inferred from how they check.
 */
export const healthEndpoint = (spec: HealthEndpointSpec): Actuator => ({
  asAsked,
  asUsed: (s, instance) => asUsed(s, instance, spec),
  before: stateBefore,
  whenOut: ({ recorded }) => (recorded.state === 'ready' ? 'drain' : recorded.state),
  through: () => undefined,
  move: (s, { recorded, ref }, to) => ({
    kind: 'askAgent',
    node: s.node.name,
    balancer: recorded.balancer,
    ref,
    ...to,
  }),
  mayBeUndone: () => undefined,
  unheard: ({ reading }) => (reading.endpoint?.heard === false ? agentSilent(reading.ref) : undefined),
  untaken: (s, place) => (isTold(place) && !isAcknowledged(s, place) ? notAcknowledged(place) : undefined),
  unnoticed: (s, place, way) => (isAwaited(s, place, way) ? notNoticed(place, way) : undefined),
  heldByOthers: (s, place) => (isAskedByOthers(s, place) ? askedByOthers(place) : undefined),
  holdsDeadConnections: () => false,
  isBusy: (s, place) => isTold(place) && !s.announced && connectionsEndOf(s, place) === undefined,
  left: ({ reading }) => reading?.endpoint?.connections ?? 0,
  canCut: false,
  notice: (s, place, before) => noticed(s, place, { before, spec }),
  endConnections: endOf,
})

const isTold = ({ reading }: NodeServer): boolean => reading?.endpoint !== undefined

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

/**
 * Those who check it may not have noticed yet. After the announcement of the reboot nothing is waited for again: it was
 * noticed before. A node that is back with its agent is not yet with those who ask the agent.
 */
function isAwaited(s: ServiceSnapshot, server: NodeServer, way: Noticing['way']): boolean {
  if (!isTold(server) || (way === 'out' ? s.announced : !wasServing(server.recorded))) return false
  return noticingOf(s, server, way)?.noticed === undefined
}

/** What those who check the node's health endpoint have noticed by now, as far as they can be followed. */
function noticed(
  s: ServiceSnapshot,
  server: NodeServer,
  { before, spec }: { readonly before: Noticing | undefined; readonly spec: HealthEndpointSpec },
): Noticing | undefined {
  const reading = server.reading?.endpoint
  if (reading === undefined) return before
  if (!reading.heard) return unheard(before, spec, s.now)
  const seen = { reading, spec, now: s.now }
  if (server.reading?.ownState === 'ready')
    return reading.answer === 'up' ? notice(before, { ...seen, way: 'in' }) : undefined
  return isAcknowledged(s, server) ? notice(before, { ...seen, way: 'out' }) : undefined
}

/**
 * How the wait for connections ended first; anew where some come before the limit is over. Once the reboot is announced it
 * stays as it is: then they end with the machine. An agent that is not heard counts nothing, and nothing is begun anew by
 * that.
 */
function endOf(s: ServiceSnapshot, server: NodeServer, before: ConnectionsEnd | undefined): ConnectionsEnd | undefined {
  const now = connectionsEndOf(s, server)
  const isHeard = server.reading?.endpoint?.heard === true
  return isHeard && now === undefined ? undefined : (before ?? now)
}

const agentSilent = ({ server }: ServerRef): Reason => ({
  code: 'AgentSilent',
  object: server,
  text: `the agent of ${server} does not answer`,
})

export const endpointWords: ReadingWords = {
  balancerTells: false,
  isNews: (was, is) => isToldNews(was.endpoint, is.endpoint),
  /** Nobody else tells its load balancers anything. */
  findings: (node, { instance, reading }) =>
    reading.endpoint?.heard === false
      ? [
          {
            severity: 'error',
            code: 'AgentSilent',
            node: node.name,
            text: `${node.name} cannot be taken out of ${instance.balancer}: ${reading.checkText}`,
            fix: 'let an agent run on it (docs/agent.md), and check healthEndpoint.agentPort',
          },
        ]
      : [],
}

/** Of a node that serves, how often that was told is of no account. */
function isToldNews(was: EndpointReading | undefined, is: EndpointReading | undefined): boolean {
  if (was === is || (was?.answer === 'up' && is?.answer === 'up')) return was?.heard !== is?.heard
  return told(was) !== told(is)
}

/** Without the time of asking, which is another at each poll. */
const told = (reading: EndpointReading | undefined): string => JSON.stringify({ ...reading, at: 0 })
