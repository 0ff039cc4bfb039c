import type { InstanceReading, ServerReading } from '../../model/balancer.ts'
import type { EndpointReading } from '../../model/health-endpoint.ts'

/**
 * Whether an answer of an instance can change a decision. Counters of a server that serves cannot: they change with every
 * request, are read by each pass, and are waited for only once the server is out.
 */
export function isBalancerNews(before: InstanceReading | undefined, now: InstanceReading): boolean {
  if (before?.process !== now.process || before.servers.length !== now.servers.length) return true
  if (before.servers === now.servers) return false
  return now.servers.some((server, at) => {
    const was = before.servers[at]
    return was !== server && (was === undefined || isServerNews(was, server))
  })
}

function isServerNews(was: ServerReading, is: ServerReading): boolean {
  const fields = is.ownState === 'ready' ? STATE : [...STATE, ...COUNTED]
  const isNamed = was.ref.backend === is.ref.backend && was.ref.server === is.ref.server
  return !isNamed || fields.some((field) => was[field] !== is[field]) || isToldNews(was.endpoint, is.endpoint)
}

/** Of a node that serves, how often that was told is of no account. */
function isToldNews(was: EndpointReading | undefined, is: EndpointReading | undefined): boolean {
  if (was === is || (was?.answer === 'up' && is?.answer === 'up')) return was?.heard !== is?.heard
  return told(was) !== told(is)
}

/** Without the time of asking, which is another at each poll. */
const told = (reading: EndpointReading | undefined): string => JSON.stringify({ ...reading, at: 0 })

const STATE = [
  ...(['address', 'port', 'adminState', 'ownState', 'inherited', 'operational', 'check'] as const),
  ...(['agent', 'persistent', 'weight', 'backup'] as const),
] as const satisfies readonly (keyof ServerReading)[]

const COUNTED = [
  ...(['currentSessions', 'queued', 'totalSessions', 'idleConnections', 'checkText'] as const),
] as const satisfies readonly (keyof ServerReading)[]
