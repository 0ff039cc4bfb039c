import type { ServerReading } from '../../model/balancer.ts'
import type { Node } from '../../model/node.ts'
import type { InstanceFacts } from './snapshot.ts'

export interface MatchedServer {
  readonly instance: InstanceFacts
  readonly reading: ServerReading
}

/** Names are not reliable, addresses are: a server belongs to the node at whose InternalIP it points. */
export function matchNodeServers(node: Node, instances: readonly InstanceFacts[]): readonly MatchedServer[] {
  return instances.flatMap((instance) =>
    (instance.reading?.servers ?? [])
      .filter((reading) => instance.backends.includes(reading.ref.backend))
      .filter((reading) => node.internalAddresses.includes(reading.address))
      .map((reading) => ({ instance, reading })),
  )
}

/** Every server that leads to it is out: the node serves nobody through a balancer. */
export function isDetached(node: Node, instances: readonly InstanceFacts[]): boolean {
  const matched = matchNodeServers(node, instances)
  return matched.length > 0 && matched.every(({ reading }) => reading.adminState !== 'ready')
}
