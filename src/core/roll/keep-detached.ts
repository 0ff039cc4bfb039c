import type { Action } from '../../model/action.ts'
import { mustBeOut } from './must-be-out.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from './node-snapshot.ts'
import { takeOut } from './set-server.ts'
import { isNotTold } from './steps/detach.ts'

/**
 * The standing duty while a node is out: whatever a reload forgot is said again, in every step from the first
 * confirmed detach until the first server is put back, and for as long as an unproven node is guarded.
 */
export function keepDetached(s: NodeSnapshot): readonly Action[] {
  if (!hasBegun(s)) return []
  return mustBeOut(s)
    .filter((server) => server.instance.silentForMs === 0 && server.reading?.ownState === 'ready' && isNotTold(server))
    .map((server) => takeOut(s, server))
}

function hasBegun(s: NodeSnapshot): boolean {
  const record = ownRecord(s)
  if (record === undefined) return false
  return Object.keys(s.evidence.detached).length > 0 || ownIntent(s) !== undefined || hasRebooted({ ...s, record })
}
