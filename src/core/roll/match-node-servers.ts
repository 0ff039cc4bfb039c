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

const NONE: readonly ServerReading[] = []

/** Every server that leads to it is out: the node serves nobody through a balancer. Each pass asks it of every node. */
export function isDetached(node: Node, instances: readonly InstanceFacts[]): boolean {
  let hasServer = false
  for (const { reading, backends } of instances) {
    const byAddress = indexOf(reading?.servers ?? NONE)
    for (const address of node.internalAddresses) {
      for (const { reading: server } of byAddress.get(canonicalAddress(address)) ?? []) {
        if (!backends.includes(server.ref.backend)) continue
        if (server.adminState === 'ready') return false
        hasServer = true
      }
    }
  }
  return hasServer
}

/** Of a list, those at that address. */
export const serversAtAddress = (address: string, servers: readonly ServerReading[]): readonly ServerReading[] =>
  (indexOf(servers).get(canonicalAddress(address)) ?? []).map(({ reading }) => reading)
