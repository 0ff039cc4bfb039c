import { asksToLeave, MAINTENANCE_ANNOTATION } from '../../../ground/model/claims.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { InstanceFacts } from '../../decide/instance-facts.ts'
import type { ServerReading } from '../../model/balancer.ts'
import { endpointAdminState } from '../../model/endpoint-admin-state.ts'

/**
 * What a health endpoint is told stands on the Node, and is known from there sooner and surer than from the process
 * that asks its agent: a record is as of one version of the Node, and so is what it says of this.
 */
export function asAsked(facts: InstanceFacts, nodeOf: (name: string) => Node | undefined): InstanceFacts {
  const { reading } = facts
  if (reading === undefined || !reading.servers.some(({ endpoint }) => endpoint !== undefined)) return facts
  return { ...facts, reading: { ...reading, servers: reading.servers.map((server) => asked(server, nodeOf)) } }
}

function asked(server: ServerReading, nodeOf: (name: string) => Node | undefined): ServerReading {
  const node = nodeOf(server.ref.server)
  if (server.endpoint === undefined || node === undefined) return server
  const isAsked = asksToLeave(node.annotations[MAINTENANCE_ANNOTATION])
  const adminState = endpointAdminState(server.endpoint, isAsked)
  return { ...server, ownState: isAsked ? 'drain' : 'ready', adminState }
}
