import { canonicalAddress } from '../../../ground/model/ip-address.ts'
import type { KeptInstance } from './choose-backends.ts'
import type { SeenServer } from './init-snapshot.ts'

/**
 * Where two HAProxies that share a backend differ for a roll: which backends send to nodes, and to which. Instances without a
 * common backend are different balancers.
 */
export function instanceDifferences(instances: readonly KeptInstance[]): readonly string[] {
  return instances.flatMap((one, at) => instances.slice(at + 1).flatMap((other) => differences(one, other)))
}

function differences(one: KeptInstance, other: KeptInstance): readonly string[] {
  const [left, right] = [backendsOf(one), backendsOf(other)]
  const shared = [...left.keys()].filter((name) => right.has(name))
  if (shared.length === 0) return []
  const lacking = (of: KeptInstance, names: ReadonlyMap<string, unknown>, where: KeptInstance): readonly string[] =>
    backendNames(of)
      .filter((name) => !names.has(name))
      .map((name) => `backend ${name} is on ${of.instance.name} and not on ${where.instance.name}`)
  return [
    ...lacking(one, right, other),
    ...lacking(other, left, one),
    ...shared.flatMap((name) =>
      serverDifferences(
        name,
        { instance: one, servers: left.get(name) ?? [] },
        { instance: other, servers: right.get(name) ?? [] },
      ),
    ),
  ]
}

const backendNames = ({ kept }: KeptInstance): readonly string[] => kept.map(({ backend }) => backend.name)

const backendsOf = ({ kept }: KeptInstance): ReadonlyMap<string, readonly SeenServer[]> =>
  new Map(kept.map(({ backend }) => [backend.name, backend.servers]))

interface Side {
  readonly instance: KeptInstance
  readonly servers: readonly SeenServer[]
}

function serverDifferences(backend: string, here: Side, there: Side): readonly string[] {
  const only = (side: Side, other: Side): readonly string[] => {
    const known = new Set(other.servers.map(endpointOf))
    return side.servers
      .filter((server) => !known.has(endpointOf(server)))
      .map(
        (server) =>
          `server ${backend}/${server.name} (${server.address}:${server.port}) is on ${side.instance.instance.name} alone`,
      )
  }
  return [...only(here, there), ...only(there, here)]
}

const endpointOf = ({ address, port }: SeenServer): string => `${canonicalAddress(address)}:${port}`
