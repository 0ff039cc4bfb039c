import { type ServerReading, type ServerRef, serverKey } from '../../model/balancer.ts'
import type { Node } from '../../model/node.ts'
import type { Reason } from '../../model/reason.ts'
import { returnMs } from '../balancer/detection-time.ts'
import { isUsable, lastServers } from '../balancer/last-server.ts'
import { type NodeSnapshot, ownRecord } from '../roll/node-snapshot.ts'
import { endpointOf } from './endpoint-of.ts'
import type { InstanceFacts } from './instance-facts.ts'
import { allowedServers, belongsTo } from './match-node-servers.ts'
import { type NodeServer, nodeServers } from './node-servers.ts'
import { wasServing } from './was-serving.ts'

/** On every instance each backend must keep a usable server that is not this node's; empty where all do. */
export const lastUsableServers = (node: Node, instances: readonly InstanceFacts[]): readonly Reason[] =>
  instances.flatMap((instance) =>
    lastServersOn(node, instance).map(({ ref }) => ({
      ...lastServer(ref),
      text: `${textOf(ref)} is the last usable server of ${ref.backend} on ${instance.instance}`,
    })),
  )

/** Servers of the node without which a backend of this instance would have none, where that matters. */
const lastServersOn = (node: Node, instance: InstanceFacts): readonly ServerReading[] =>
  instance.allowLastServer ? [] : lastServers(allowedServers(instance), (reading) => belongsTo(reading, node))

/** Without this very server its backend would have no usable one on that instance, and that matters. */
export const isLastServer = (ref: ServerRef, instance: InstanceFacts): boolean =>
  !instance.allowLastServer &&
  lastServers(allowedServers(instance), (reading) => serverKey(reading.ref) === serverKey(ref)).length > 0

/** Whether that backend has a usable server of another node there, or may do without. */
export const othersServe = (backend: string, node: Node, instance: InstanceFacts): boolean =>
  instance.allowLastServer ||
  allowedServers(instance).some(
    (reading) => reading.ref.backend === backend && !belongsTo(reading, node) && isUsable(reading),
  )

/**
 * An instance as its clients use it. A balancer that checks agents follows an answer late: it sends to a node after enough
 * checks have passed, and until enough have failed. Two kinds of servers therefore count as starting: those whose agent has
 * answered up for too short a time, and those of the node under way that served before and were not asked to leave. The
 * agent of that node may answer drain because of this roll's own cordon.
 */
export function asUsed(s: NodeSnapshot, instance: InstanceFacts): InstanceFacts {
  const spec = endpointOf(s, instance.balancer)
  const { reading } = instance
  if (spec === undefined || reading === undefined) return instance
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
function notAsked(s: NodeSnapshot): readonly NodeServer[] {
  const record = ownRecord(s)
  if (record === undefined) return []
  return nodeServers({ ...s, record }).filter(
    ({ recorded, reading }) => wasServing(recorded) && reading?.ownState === 'ready',
  )
}

/** One that stays in service for that reason. */
export const leftAsLast = (ref: ServerRef, instance: InstanceFacts): Reason => ({
  ...lastServer(ref),
  text: `${textOf(ref)} stays in service: no other server of ${ref.backend} is usable on ${instance.instance}`,
})

const textOf = ({ backend, server }: ServerRef): string => `${backend}/${server}`

const lastServer = (ref: ServerRef) => ({
  code: 'LastUsableServer' as const,
  object: textOf(ref),
  next: `bring another server of ${ref.backend} up, or set allowLastServer for a pool of one`,
})
