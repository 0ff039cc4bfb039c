import { type NodeSnapshot, ownRecord } from '../roll/node-snapshot.ts'
import { type NodeServer, nodeServers } from './node-servers.ts'

/**
 * Servers of the node under way that are ours to keep out: until the first of them is put back, and for good where a
 * verdict keeps the node out.
 */
export function mustBeOut(s: NodeSnapshot): readonly NodeServer[] {
  const record = ownRecord(s)
  const isPutBack = s.evidence.attachingSince !== undefined && s.run.verdict?.keepOut !== true
  return record === undefined || isPutBack ? [] : nodeServers({ ...s, record })
}
