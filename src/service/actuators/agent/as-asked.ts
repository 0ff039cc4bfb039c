import { asksToLeave, MAINTENANCE_ANNOTATION } from '../../../ground/model/claims.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { InstanceSnapshot } from '../../decide/instance-snapshot.ts'
import type { ServerReading } from '../../model/balancer.ts'
import { endpointAdminState } from '../../model/endpoint-admin-state.ts'

/**
 * The request to a health endpoint is on the Node. The Node as the roll watches it is newer and surer than the agent's answer:
 * the record is of one version of the Node, and so is the request.
 */
export function asAsked(instance: InstanceSnapshot, nodeOf: (name: string) => Node | undefined): InstanceSnapshot {
  const { reading } = instance
  if (reading === undefined || !reading.servers.some(({ endpoint }) => endpoint !== undefined)) return instance
  return { ...instance, reading: { ...reading, servers: reading.servers.map((server) => asked(server, nodeOf)) } }
}

function asked(server: ServerReading, nodeOf: (name: string) => Node | undefined): ServerReading {
  const node = nodeOf(server.ref.server)
  if (server.endpoint === undefined || node === undefined) return server
  const isAsked = asksToLeave(node.annotations[MAINTENANCE_ANNOTATION])
  const adminState = endpointAdminState(server.endpoint, isAsked)
  return { ...server, ownState: isAsked ? 'drain' : 'ready', adminState }
}
