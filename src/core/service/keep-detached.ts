import type { Action } from '../../model/action.ts'
import { serverKey } from '../../model/balancer.ts'
import type { NodeRecord } from '../../model/node-record.ts'
import type { Reason } from '../../model/reason.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from '../roll/node-snapshot.ts'
import { isNotTold } from './detach.ts'
import { asUsed, leftAsLast, othersServe } from './last-server.ts'
import { mustBeOut } from './must-be-out.ts'
import type { NodeServer } from './node-servers.ts'
import { takeOut } from './set-server.ts'

/**
 * The standing duty while a node is out: whatever a reload forgot is said again, in every step from the first
 * confirmed detach until the first server is put back, and for as long as an unproven node is guarded. Before the intent
 * it is said only to servers that were out already, and never to the last usable one of a backend: to take another one is
 * a matter of step 4 and its guards.
 */
export const keepDetached = (s: NodeSnapshot): readonly Action[] =>
  backInService(s)
    .filter((server) => isNotTold(server) && !isLastToServe(s, server))
    .map((server) => takeOut(s, server))

/** A server is in service that must be out, whether it is taken out again or serves on as the last one. */
export const isBackInService = (s: NodeSnapshot): boolean => backInService(s).length > 0

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
 * Without it a backend would have no server, and every request would fail. Where it is down itself, its balancers may not
 * have noticed yet, and it may be back before the others are.
 */
const isLastToServe = (s: NodeSnapshot, { ref, instance }: NodeServer): boolean =>
  !mayBeDark(s) && !othersServe(ref.backend, s.current.node, asUsed(s, instance))

/**
 * Its reboot is announced, or it was rebooted by others, and no proof was given since: it goes out whichever server is
 * left. Before the announcement it runs, and a node that was put back was proven: it can serve.
 */
export function mayBeDark(s: NodeSnapshot): boolean {
  const record = ownRecord(s)
  if (s.evidence.attachingSince !== undefined) return false
  if (record === undefined || !hasRebooted({ ...s, record })) return ownIntent(s) !== undefined
  return !isUncordoned(s, record)
}

/** The cordon goes after the proof: a process that knows nothing of the one before it sees by this that there was one. */
const isUncordoned = (s: NodeSnapshot, record: NodeRecord): boolean =>
  !record.unschedulable && !s.current.node.unschedulable

function wasTaken(s: NodeSnapshot, { ref }: NodeServer): boolean {
  const record = ownRecord(s)
  if (record === undefined) return false
  return (
    s.evidence.detached[serverKey(ref)] !== undefined || ownIntent(s) !== undefined || hasRebooted({ ...s, record })
  )
}
