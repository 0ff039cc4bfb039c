import { type ServerReading, type ServerRef, serverKey } from '../../model/balancer.ts'
import type { Node } from '../../model/node.ts'
import type { Reason } from '../../model/reason.ts'
import { isUsable, lastServers } from '../balancer/last-server.ts'
import { actuatorAt } from './actuators/actuator-of.ts'
import type { InstanceFacts } from './instance-facts.ts'
import { allowedServers, belongsTo } from './match-node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

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

/** An instance as its clients use it. */
export const asUsed = (s: ServiceSnapshot, instance: InstanceFacts): InstanceFacts =>
  actuatorAt(s.balancers, instance.balancer).asUsed(s, instance)

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
