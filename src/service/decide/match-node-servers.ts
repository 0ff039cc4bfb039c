import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ServerReading } from '../model/balancer.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'
import { leadsTo } from './match-servers.ts'
import { ServerIndex } from './server-index.ts'

export interface MatchedServer {
  readonly instance: InstanceSnapshot
  readonly reading: ServerReading
}

/** Names are not reliable, addresses are: a server belongs to the node at whose InternalIP it points. */
export function matchNodeServers(node: Node, instances: readonly InstanceSnapshot[]): readonly MatchedServer[] {
  return instances.flatMap((instance) =>
    serversAt(node, instance.reading?.servers ?? [])
      .filter((reading) => instance.backends.includes(reading.ref.backend))
      .map((reading) => ({ instance, reading })),
  )
}

/** The servers that belong to the node, in the order of the list. */
function serversAt(node: Node, servers: readonly ServerReading[]): readonly ServerReading[] {
  const byAddress = PLACES.of(servers)
  const addresses = new Set(node.internalAddresses.map(canonicalAddress))
  const places = [...addresses].flatMap((address) => byAddress.get(address) ?? []).sort((one, other) => one - other)
  return places.flatMap((at) => servers[at] ?? [])
}

/** The positions of each address in a list. */
export const PLACES = new ServerIndex<ReadonlyMap<string, readonly number[]>>({
  make: (servers) => {
    const places = servers.flatMap(({ address }, at) => (address === '' ? [] : [at]))
    return Map.groupBy(places, (at) => canonicalAddress(servers[at]?.address ?? ''))
  },
  isAlike: (was, is) => was.address === is.address,
})

/** The servers that an instance lists in the backends that the file allows. */
export const allowedServers = (instance: InstanceSnapshot): readonly ServerReading[] =>
  (instance.reading?.servers ?? []).filter((reading) => instance.backends.includes(reading.ref.backend))

/** Those of them that belong to the node: `belongsTo` for all servers of an instance at once. */
export const ownServers = (node: Node, instance: InstanceSnapshot): ReadonlySet<ServerReading> =>
  new Set(matchNodeServers(node, [instance]).map(({ reading }) => reading))

export const belongsTo = (reading: Pick<ServerReading, 'address' | 'port'>, node: Node): boolean =>
  leadsTo(reading, { node: node.name, addresses: node.internalAddresses })

/** The servers of a list at this address. */
export const serversAtAddress = (address: string, servers: readonly ServerReading[]): readonly ServerReading[] =>
  (PLACES.of(servers).get(canonicalAddress(address)) ?? []).flatMap((at) => servers[at] ?? [])

/** By instance and list of Nodes: each node of a plan asks. */
const OF_NO_NODE = new WeakMap<
  InstanceSnapshot,
  { readonly nodes: readonly Node[]; readonly servers: readonly ServerReading[] }
>()

/** The servers of an instance's backends that lead to none of these Nodes. A name that is not resolved has no address yet. */
export function serversOfNoNode(instance: InstanceSnapshot, nodes: readonly Node[]): readonly ServerReading[] {
  const known = OF_NO_NODE.get(instance)
  if (known?.nodes === nodes) return known.servers
  const addresses = new Set(nodes.flatMap(({ internalAddresses }) => internalAddresses.map(canonicalAddress)))
  const servers = allowedServers(instance).filter(
    ({ address }) => address === '' || !addresses.has(canonicalAddress(address)),
  )
  OF_NO_NODE.set(instance, { nodes, servers })
  return servers
}
