import type { Node } from '../../ground/model/node.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { actuatorAt } from '../actuators/actuator-of.ts'
import { type ServerReading, type ServerRef, serverKey } from '../model/balancer.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'
import { isRelied, isUsable, lastServers } from './last-usable-server.ts'
import { allowedServers, belongsTo, ownServers } from './match-node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/** On every instance each backend must keep a usable server of another node. Empty where all do. */
export const lastUsableServers = (node: Node, instances: readonly InstanceSnapshot[]): readonly Reason[] =>
  instances.flatMap((instance) =>
    lastServersOn(node, instance).map(({ ref }) => ({
      ...lastServer(ref),
      text: `${textOf(ref)} is the last usable server of ${ref.backend} on ${instance.instance}`,
    })),
  )

/**
 * A balancer that has just started calls every server up, and drops each at its first failed check; one pod that leaves can
 * fail it. Until one of the other servers was checked, no pod leaves and no node is begun.
 */
export const othersUnchecked = (node: Node, instances: readonly InstanceSnapshot[]): readonly Reason[] =>
  instances.flatMap((instance) => uncheckedBackends(node, instance).map((backend) => unchecked(backend, instance)))

function uncheckedBackends(node: Node, instance: InstanceSnapshot): readonly string[] {
  if (instance.allowLastServer) return []
  const servers = allowedServers(instance)
  const own = ownServers(node, instance)
  const backends = new Set([...own].map(({ ref }) => ref.backend))
  const relied = servers.filter((it) => backends.has(it.ref.backend) && !own.has(it) && isRelied(it))
  return [...Map.groupBy(relied, ({ ref }) => ref.backend)]
    .filter(([, others]) => others.every(({ uncheckedYet }) => uncheckedYet === true))
    .map(([backend]) => backend)
}

const unchecked = (backend: string, { instance }: InstanceSnapshot): Reason => ({
  code: 'OthersUnchecked',
  object: `${backend} on ${instance}`,
  text: `${instance} has checked no other server of ${backend} since it started, so the first failed check of one would take it out`,
})

/** The servers of the node without which a backend of this instance would have none, unless the file allows that. */
function lastServersOn(node: Node, instance: InstanceSnapshot): readonly ServerReading[] {
  if (instance.allowLastServer) return []
  const own = ownServers(node, instance)
  return lastServers(allowedServers(instance), (reading) => own.has(reading))
}

/** Without this server its backend would have no usable one on this instance, and the file does not allow that. */
export const isLastServer = (ref: ServerRef, instance: InstanceSnapshot): boolean =>
  !instance.allowLastServer &&
  lastServers(allowedServers(instance), (reading) => serverKey(reading.ref) === serverKey(ref)).length > 0

/** Whether the backend has a usable server of another node on this instance, or the file allows it to have none. */
export const othersServe = (backend: string, node: Node, instance: InstanceSnapshot): boolean =>
  instance.allowLastServer ||
  allowedServers(instance).some(
    (reading) => reading.ref.backend === backend && !belongsTo(reading, node) && isUsable(reading),
  )

/** The instance as its clients see it, without the nodes that the same owner takes out at the same time. */
export function asUsed(s: ServiceSnapshot, instance: InstanceSnapshot): InstanceSnapshot {
  const used = actuatorAt(s.balancers, instance.balancer).asUsed(s, instance)
  const { beside = [] } = s
  if (beside.length === 0 || used.reading === undefined) return used
  const servers = used.reading.servers.map((server) =>
    server.adminState === 'ready' && beside.some((node) => belongsTo(server, node))
      ? { ...server, adminState: 'drain' as const }
      : server,
  )
  return { ...used, reading: { ...used.reading, servers } }
}

/** A server stays in service because it is the last one. */
export const leftAsLast = (ref: ServerRef, instance: InstanceSnapshot): Reason => ({
  ...lastServer(ref),
  text: `${textOf(ref)} stays in service: no other server of ${ref.backend} is usable on ${instance.instance}`,
})

const textOf = ({ backend, server }: ServerRef): string => `${backend}/${server}`

const lastServer = (ref: ServerRef) => ({
  code: 'LastUsableServer' as const,
  object: textOf(ref),
  next: `bring another server of ${ref.backend} up, or set allowLastServer for a pool of one`,
})
