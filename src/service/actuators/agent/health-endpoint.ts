import type { ConnectionsEnd, Noticing } from '../../decide/evidence.ts'
import { lacksOwnClaim } from '../../decide/node-claims.ts'
import { type NodeServer, wasServing } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import type { ServerReading } from '../../model/balancer.ts'
import type { EndpointReading, HealthEndpointSpec } from '../../model/health-endpoint.ts'
import type { Actuator, OwnReadingWords } from '../actuator.ts'
import {
  agentSilent,
  connectionsEndOf,
  isAcknowledged,
  isKeptFromBefore,
  notAcknowledged,
  noticingOf,
  notNoticed,
  stateBefore,
} from './agent-word.ts'
import { asAsked } from './as-asked.ts'
import { asUsed } from './as-used.ts'
import { notice, unheard } from './noticing.ts'

/**
 * Balancers that have nothing but a health check. A claim on the Node asks the agent to refuse their checks; the agent counts
 * connections itself. That the balancers have noticed is inferred from how they check.
 */
export const healthEndpoint = (spec: HealthEndpointSpec): Actuator => ({
  asAsked,
  asUsed: (s, instance) => asUsed(s, instance, spec),
  before: stateBefore,
  whenOut: (_s, { recorded }) => (recorded.state === 'ready' ? 'drain' : recorded.state),
  through: () => undefined,
  move: (s, { recorded, ref }, to) => ({
    kind: 'askAgent',
    node: s.node.name,
    balancer: recorded.balancer,
    ref,
    ...to,
  }),
  isNotSet: (s, place) => !hasEndpoint(place) || lacksOwnClaim(s),
  isOverwritten: (s, place) => hasEndpoint(place) && place.reading?.ownState !== 'ready' && lacksOwnClaim(s),
  keepsRequest: isKeptFromBefore,
  mayBeUndone: () => undefined,
  unheard: ({ reading }) => (reading.endpoint?.heard === false ? agentSilent(reading.ref) : undefined),
  untaken: (s, place) => (hasEndpoint(place) && !isAcknowledged(s, place) ? notAcknowledged(s, place) : undefined),
  unnoticed: (s, place, way) => (isAwaited(s, place, way) ? notNoticed(place, way) : undefined),
  heldByOthers: () => undefined,
  holdsDeadConnections: () => false,
  awaitsClosing: () => false,
  isBusy: (s, place) => hasEndpoint(place) && !s.announced && connectionsEndOf(s, place) === undefined,
  left: ({ reading }) => reading?.endpoint?.connections ?? 0,
  canCut: false,
  notice: (s, place, before) => noticed(s, place, { before, spec }),
  endConnections: endOf,
})

const hasEndpoint = ({ reading }: NodeServer): boolean => reading?.endpoint !== undefined

/**
 * The checkers may not have noticed yet. After the announcement of the reboot nothing is waited for again: they noticed before.
 * On the way back, the agent answers before its checkers send traffic again.
 */
function isAwaited(s: ServiceSnapshot, server: NodeServer, way: Noticing['way']): boolean {
  if (!hasEndpoint(server) || (way === 'out' ? s.announced : !wasServing(server.recorded))) return false
  return noticingOf(s, server, way)?.noticed === undefined
}

/** What the checkers of the node's health endpoint have noticed by now. */
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
 * How the wait for connections ended. It begins anew if connections come before the limit is over. After the announcement of
 * the reboot the result stays: the connections end with the machine. An agent that does not answer changes nothing.
 */
function endOf(s: ServiceSnapshot, server: NodeServer, before: ConnectionsEnd | undefined): ConnectionsEnd | undefined {
  const now = connectionsEndOf(s, server)
  const isHeard = server.reading?.endpoint?.heard === true
  return isHeard && now === undefined ? undefined : (before ?? now)
}

export const endpointWords: OwnReadingWords = {
  areOf: ({ endpoint }) => endpoint !== undefined,
  balancerTells: false,
  // The agent's answer is in the administrative state. Silence, or a closed data port, is no answer.
  checked: () => 'in',
  goesByMarks,
  isNews: (was, is) => isEndpointNews(was.endpoint, is.endpoint),
  findings: (node, { instance, reading: { endpoint, checkText } }) => {
    if (endpoint?.heard === false) {
      return [
        {
          severity: 'error',
          code: 'AgentSilent',
          node: node.name,
          text: `${node.name} cannot be taken out of ${instance.balancer}: ${checkText}`,
          fix: 'let an agent run on it (docs/agent.md), and check healthEndpoint.agentPort',
        },
      ]
    }
    if (endpoint === undefined || Object.keys(endpoint.polls).length > 0) return []
    return [
      {
        severity: 'warning',
        code: 'AgentUnpolled',
        node: node.name,
        text: `nothing has asked the agent of ${node.name} for its health since it started, so no load balancer would notice that it leaves`,
        fix: 'check the port and the path of the health check on the load balancer: /nodecheck at the port of the agent (docs/agent.md)',
      },
    ]
  },
}

/** An agent that was never heard may have taken its node out before it went away. */
function goesByMarks({ endpoint }: ServerReading): ReturnType<OwnReadingWords['goesByMarks']> {
  const said = endpoint?.heard === true ? endpoint : endpoint?.lastHeard
  if (said === undefined) return 'unknown'
  return said.onlyClosed ? 'no' : 'yes'
}

/** While a node serves, the number of its polls does not matter. */
function isEndpointNews(was: EndpointReading | undefined, is: EndpointReading | undefined): boolean {
  if (was === is || (was?.answer === 'up' && is?.answer === 'up')) return was?.heard !== is?.heard
  return textOf(was) !== textOf(is)
}

/** Without the time of the poll, which differs each time. */
const textOf = (reading: EndpointReading | undefined): string => JSON.stringify({ ...reading, at: 0 })
