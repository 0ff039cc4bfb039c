import { returnMs } from '../../decide/detection-time.ts'
import type { InstanceSnapshot } from '../../decide/instance-snapshot.ts'
import { type NodeServer, nodeServers, wasServing } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import { type ServerReading, serverKey } from '../../model/balancer.ts'
import type { HealthEndpointSpec } from '../../model/health-endpoint.ts'

/**
 * The instance as its clients see it. A balancer that checks agents follows an answer late: it sends to a node only after
 * enough checks have passed, and until enough have failed. Two kinds of servers therefore count as starting: those whose agent
 * has answered `up` for too short a time, and those of the node under way that served before and were not asked to leave. The
 * agent of that node may answer `drain` because of this roll's own cordon.
 */
export function asUsed(s: ServiceSnapshot, instance: InstanceSnapshot, spec: HealthEndpointSpec): InstanceSnapshot {
  const { reading } = instance
  if (reading === undefined) return instance
  const worstMs = returnMs(spec.checks)
  const unasked = new Set(notAsked(s).map(({ ref }) => serverKey(ref)))
  const isStarting = ({ ref, operational, endpoint }: ServerReading): boolean =>
    endpoint?.upSince === undefined
      ? operational !== 'up' && unasked.has(serverKey(ref))
      : reading.at - endpoint.upSince < worstMs
  if (!reading.servers.some(isStarting)) return instance
  const servers = reading.servers.map(
    (server): ServerReading =>
      isStarting(server) ? { ...server, adminState: server.ownState, operational: 'starting' } : server,
  )
  return { ...instance, reading: { ...reading, servers } }
}

/** Servers of the node under way that served when it was recorded, and that were not asked to leave. */
const notAsked = (s: ServiceSnapshot): readonly NodeServer[] =>
  nodeServers(s).filter(({ recorded, reading }) => wasServing(recorded) && reading?.ownState === 'ready')
