import type { ServerReading } from '../../model/balancer.ts'
import type { Reason } from '../../model/reason.ts'
import { matchNodeServers } from './match-node-servers.ts'
import type { NodeSnapshot } from './node-snapshot.ts'

const isUsable = (server: ServerReading): boolean => server.adminState === 'ready' && server.operational === 'up'

/** On every instance, each backend must keep a usable server that is not this node's; empty when all do. */
export function lastUsableServers(s: NodeSnapshot): readonly Reason[] {
  const matched = matchNodeServers(s.current.node, s.instances)
  return matched.flatMap(({ instance, reading }) => {
    if (instance.allowLastServer || reading.adminState !== 'ready') return []
    const others = (instance.reading?.servers ?? []).filter(
      (server) =>
        server.ref.backend === reading.ref.backend && !s.current.node.internalAddresses.includes(server.address),
    )
    if (others.some(isUsable)) return []
    const { backend, server } = reading.ref
    return [
      {
        code: 'LastUsableServer',
        object: `${backend}/${server}`,
        text: `${backend}/${server} is the last usable server of ${backend} on ${instance.instance}`,
        next: `bring another server of ${backend} up, or set allowLastServer for a pool of one`,
      },
    ]
  })
}
