import type { Node } from '../../model/node.ts'
import type { Reason } from '../../model/reason.ts'
import { lastServers } from '../balancer/last-server.ts'
import { allowedServers, belongsTo } from './match-node-servers.ts'
import type { InstanceFacts } from './snapshot.ts'

/** On every instance each backend must keep a usable server that is not this node's; empty where all do. */
export function lastUsableServers(node: Node, instances: readonly InstanceFacts[]): readonly Reason[] {
  return instances
    .filter((instance) => !instance.allowLastServer)
    .flatMap((instance) =>
      lastServers(allowedServers(instance), (reading) => belongsTo(reading, node)).map(({ ref }) => ({
        code: 'LastUsableServer',
        object: `${ref.backend}/${ref.server}`,
        text: `${ref.backend}/${ref.server} is the last usable server of ${ref.backend} on ${instance.instance}`,
        next: `bring another server of ${ref.backend} up, or set allowLastServer for a pool of one`,
      })),
    )
}
