import type { ServerReading } from '../../model/balancer.ts'
import { canonicalAddress } from '../../model/ip-address.ts'
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
    serversAt(node, instance.reading?.servers ?? [])
      .filter((reading) => instance.backends.includes(reading.ref.backend))
      .map((reading) => ({ instance, reading })),
  )
}

/** Those that belong to it, in the order of the list. */
function serversAt(node: Node, servers: readonly ServerReading[]): readonly ServerReading[] {
  const byAddress = indexOf(servers)
  const addresses = new Set(node.internalAddresses.map(canonicalAddress))
  return [...addresses]
    .flatMap((address) => byAddress.get(address) ?? [])
    .sort((one, other) => one.at - other.at)
    .map(({ reading }) => reading)
}

interface Listed {
  readonly at: number
  readonly reading: ServerReading
}

/** A reading never changes, and each pass asks it for every node: it is gone through once. */
const INDEXES = new WeakMap<readonly ServerReading[], ReadonlyMap<string, readonly Listed[]>>()

function indexOf(servers: readonly ServerReading[]): ReadonlyMap<string, readonly Listed[]> {
  const known = INDEXES.get(servers)
  if (known !== undefined) return known
  const listed = servers.map((reading, at) => ({ at, reading })).filter(({ reading }) => reading.address !== '')
  const byAddress = Map.groupBy(listed, ({ reading }) => canonicalAddress(reading.address))
  INDEXES.set(servers, byAddress)
  return byAddress
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
