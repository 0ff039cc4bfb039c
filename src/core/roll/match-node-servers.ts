import type { ServerReading } from '../../model/balancer.ts'
import type { Node } from '../../model/node.ts'
import { leadsTo } from '../balancer/match-servers.ts'
import type { InstanceFacts } from './snapshot.ts'

export interface MatchedServer {
  readonly instance: InstanceFacts
  readonly reading: ServerReading
}

/** Names are not reliable, addresses are: a server belongs to the node at whose InternalIP it points. */
export function matchNodeServers(node: Node, instances: readonly InstanceFacts[]): readonly MatchedServer[] {
  return instances.flatMap((instance) =>
    allowedServers(instance)
      .filter((reading) => belongsTo(reading, node))
      .map((reading) => ({ instance, reading })),
  )
}

/** What an instance lists of the backends that the config allows. */
export const allowedServers = (instance: InstanceFacts): readonly ServerReading[] =>
  (instance.reading?.servers ?? []).filter((reading) => instance.backends.includes(reading.ref.backend))

export const belongsTo = (reading: Pick<ServerReading, 'address' | 'port'>, node: Node): boolean =>
  leadsTo(reading, { node: node.name, addresses: node.internalAddresses })

/** Every server that leads to it is out: the node serves nobody through a balancer. */
export function isDetached(node: Node, instances: readonly InstanceFacts[]): boolean {
  const matched = matchNodeServers(node, instances)
  return matched.length > 0 && matched.every(({ reading }) => reading.adminState !== 'ready')
}
