import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { ServerReading, ServerRef } from '../model/balancer.ts'

interface NodeAddresses {
  readonly node: string
  /** Its InternalIPs. */
  readonly addresses: readonly string[]
  /** Only servers at these ports belong to it: for nodes that share an address. Absent: any port. */
  readonly ports?: readonly number[]
}

interface ServerMatches {
  /** Every given node, with the servers of all instances that lead to it. */
  readonly serversOf: ReadonlyMap<string, readonly ServerRef[]>
  readonly nodesWithoutServer: readonly string[]
  /** Servers of the allow-list that lead to none of the nodes. */
  readonly strangers: readonly ServerReading[]
  /** Servers that lead to several nodes at once: it cannot be decided which node they belong to. */
  readonly contested: readonly { readonly ref: ServerRef; readonly nodes: readonly string[] }[]
}

/** Names are not reliable; addresses are. Backends outside the allow-list are ignored. */
export function matchServers(
  nodes: readonly NodeAddresses[],
  servers: readonly ServerReading[],
  backends: readonly string[],
): ServerMatches {
  const ours = servers.filter((server) => backends.includes(server.ref.backend))
  const found = ours.map((server) => ({ server, nodes: nodes.filter((node) => leadsTo(server, node)).map(nameOf) }))
  const serversOf = new Map(
    nodes.map(({ node }) => [node, found.filter((it) => it.nodes.includes(node)).map((it) => it.server.ref)]),
  )
  return {
    serversOf,
    nodesWithoutServer: nodes.map(nameOf).filter((node) => serversOf.get(node)?.length === 0),
    strangers: found.filter((it) => it.nodes.length === 0).map((it) => it.server),
    contested: found.filter((it) => it.nodes.length > 1).map((it) => ({ ref: it.server.ref, nodes: it.nodes })),
  }
}

/** A server without an address (a unix socket, a name that is not resolved) leads to no node that we know. */
export function leadsTo(server: Pick<ServerReading, 'address' | 'port'>, node: NodeAddresses): boolean {
  if (server.address === '') return false
  if (node.ports !== undefined && !node.ports.includes(server.port)) return false
  const address = canonicalAddress(server.address)
  return node.addresses.some((own) => canonicalAddress(own) === address)
}

const nameOf = ({ node }: NodeAddresses): string => node
