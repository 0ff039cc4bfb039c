import { type NodeServer, nodeServers } from './node-servers.ts'
import { type NodeSnapshot, ownRecord } from './node-snapshot.ts'

/**
 * Servers of the node under way that are ours to keep out: until the first of them is put back, and for good where a
 * verdict keeps the node out. While the claim of another owner has kept all of them from being put back, those that served
 * before are still ours to keep out: nothing else does, where balancers do not go by claims.
 */
export function mustBeOut(s: NodeSnapshot): readonly NodeServer[] {
  const record = ownRecord(s)
  if (record === undefined) return []
  const servers = nodeServers({ ...s, record })
  if (s.evidence.attachingSince === undefined || s.run.verdict?.keepOut === true) return servers
  const { awaitsClaims = false, attachedAt } = s.evidence
  return awaitsClaims && attachedAt === undefined ? servers.filter(({ recorded }) => recorded.state === 'ready') : []
}
