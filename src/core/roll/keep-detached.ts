import type { Action } from '../../model/action.ts'
import { serverKey } from '../../model/balancer.ts'
import type { Reason } from '../../model/reason.ts'
import { lastServersOn, leftAsLast } from './last-server.ts'
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
export const keepDetached = (s: NodeSnapshot): readonly Action[] =>
  backInService(s)
    .filter((server) => isNotTold(server) && !isLastToServe(s, server))
    .map((server) => takeOut(s, server))

/** Why a node that is to be kept out serves on. */
export const servesOn = (s: NodeSnapshot): readonly Reason[] =>
  backInService(s)
    .filter((server) => isLastToServe(s, server))
    .map(({ ref, instance }) => leftAsLast(ref, instance))

const backInService = (s: NodeSnapshot): readonly NodeServer[] =>
  mustBeOut(s)
    .filter((server) => wasTaken(s, server))
    .filter(({ instance, reading }) => instance.silentForMs === 0 && reading?.ownState === 'ready')

/**
 * A node that was proven, put back, and is to leave for the requests that failed since: without it a backend would have
 * nobody, and every request would fail. One that was not put back may be dark, and goes whoever is left.
 */
const isLastToServe = (s: NodeSnapshot, { ref, instance }: NodeServer): boolean =>
  s.evidence.attachingSince !== undefined &&
  lastServersOn(s.current.node, instance).some((last) => serverKey(last.ref) === serverKey(ref))

function wasTaken(s: NodeSnapshot, { ref }: NodeServer): boolean {
  const record = ownRecord(s)
  if (record === undefined) return false
  return (
    s.evidence.detached[serverKey(ref)] !== undefined || ownIntent(s) !== undefined || hasRebooted({ ...s, record })
  )
}
