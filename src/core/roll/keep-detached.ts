import type { Action } from '../../model/action.ts'
import { serverKey } from '../../model/balancer.ts'
import { mustBeOut } from './must-be-out.ts'
import type { NodeServer } from './node-servers.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from './node-snapshot.ts'
import { takeOut } from './set-server.ts'
import { isNotTold } from './steps/detach.ts'

/**
 * The standing duty while a node is out: whatever a reload forgot is said again, in every step from the first
 * confirmed detach until the first server is put back, and for as long as an unproven node is guarded. Before the intent
 * it is said only to servers that were out already: to take another one is a matter of step 4 and its guards.
 */
export function keepDetached(s: NodeSnapshot): readonly Action[] {
  return mustBeOut(s)
    .filter((server) => wasTaken(s, server))
    .filter((server) => server.instance.silentForMs === 0 && server.reading?.ownState === 'ready' && isNotTold(server))
    .map((server) => takeOut(s, server))
}

function wasTaken(s: NodeSnapshot, { ref }: NodeServer): boolean {
  const record = ownRecord(s)
  if (record === undefined) return false
  return (
    s.evidence.detached[serverKey(ref)] !== undefined || ownIntent(s) !== undefined || hasRebooted({ ...s, record })
  )
}
