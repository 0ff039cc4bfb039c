import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ServerReading } from '../model/balancer.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'
import { leadsTo } from './match-servers.ts'

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

/** Those that belong to it, in the order of the list. */
function serversAt(node: Node, servers: readonly ServerReading[]): readonly ServerReading[] {
  const byAddress = placesOf(servers)
  const addresses = new Set(node.internalAddresses.map(canonicalAddress))
  const places = [...addresses].flatMap((address) => byAddress.get(address) ?? []).sort((one, other) => one - other)
  return places.flatMap((at) => servers[at] ?? [])
}

type Places = ReadonlyMap<string, readonly number[]>

/** Where in a list each address is. A reading never changes, and each pass asks it for every node: it is gone through once. */
const PLACES = new WeakMap<readonly ServerReading[], Places>()

function placesOf(servers: readonly ServerReading[]): Places {
  const known = PLACES.get(servers)
  if (known !== undefined) return known
  const places = newPlaces(servers)
  PLACES.set(servers, places)
  return places
}

/**
 * To be told of each list that takes the place of another: from poll to poll counters change and hardly ever an address, so
 * that the new one need not be gone through again. It changes no answer.
 */
export function keepPlaces(before: readonly ServerReading[], now: readonly ServerReading[]): void {
  const places = PLACES.get(before)
  if (places !== undefined && before !== now && isAtSameAddresses(now, before)) PLACES.set(now, places)
}

const isAtSameAddresses = (servers: readonly ServerReading[], last: readonly ServerReading[]): boolean =>
  servers.length === last.length &&
  servers.every((server, at) => server === last[at] || server.address === last[at]?.address)

function newPlaces(servers: readonly ServerReading[]): Places {
  const places = servers.flatMap(({ address }, at) => (address === '' ? [] : [at]))
  return Map.groupBy(places, (at) => canonicalAddress(servers[at]?.address ?? ''))
}

/** What an instance lists of the backends that the config allows. */
export const allowedServers = (instance: InstanceSnapshot): readonly ServerReading[] =>
  (instance.reading?.servers ?? []).filter((reading) => instance.backends.includes(reading.ref.backend))

export const belongsTo = (reading: Pick<ServerReading, 'address' | 'port'>, node: Node): boolean =>
  leadsTo(reading, { node: node.name, addresses: node.internalAddresses })

/** Of a list, those at that address. */
export const serversAtAddress = (address: string, servers: readonly ServerReading[]): readonly ServerReading[] =>
  (placesOf(servers).get(canonicalAddress(address)) ?? []).flatMap((at) => servers[at] ?? [])
