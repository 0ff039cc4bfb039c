import { changedPlaces } from '../../ground/model/changed-places.ts'
import { wordsOf } from '../actuators/actuator-of.ts'
import type { InstanceReading, ServerReading } from '../model/balancer.ts'

/**
 * Whether a reading of an instance can change a decision. The counters of a server that serves cannot: they change with every
 * request, each pass reads them, and they matter only once the server is out.
 */
export function isBalancerNews(before: InstanceReading | undefined, now: InstanceReading): boolean {
  if (before?.process !== now.process || before.servers.length !== now.servers.length) return true
  if (before.servers === now.servers) return false
  return changedPlaces(before.servers, now.servers).some((at) => {
    const [was, is] = [before.servers[at], now.servers[at]]
    return was === undefined || is === undefined || isServerNews(was, is)
  })
}

function isServerNews(was: ServerReading, is: ServerReading): boolean {
  const fields = is.ownState === 'ready' ? STATE : [...STATE, ...COUNTED]
  const isNamed = was.ref.backend === is.ref.backend && was.ref.server === is.ref.server
  return !isNamed || fields.some((field) => was[field] !== is[field]) || isActuatorNews(was, is)
}

/** Where the kind of the reading has changed, either kind can tell. */
const isActuatorNews = (was: ServerReading, is: ServerReading): boolean =>
  [was, is].some((reading) => wordsOf(reading).isNews(was, is))

const STATE = [
  ...(['address', 'port', 'adminState', 'ownState', 'inherited', 'operational', 'check'] as const),
  ...(['agent', 'persistent', 'weight', 'backup'] as const),
] as const satisfies readonly (keyof ServerReading)[]

const COUNTED = [
  ...([
    'currentSessions',
    'queued',
    'oldSessions',
    'oldClients',
    'oldUnknown',
    'totalSessions',
    'idleConnections',
    'checkText',
  ] as const),
] as const satisfies readonly (keyof ServerReading)[]
