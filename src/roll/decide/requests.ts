import { type Hold, holdWhere } from '../../service/decide/step-answer.ts'
import { gatesHold } from './gates/gates-hold.ts'
import { type HookAnswer, hooksAt, hooksUnwritten } from './hooks/hooks-due.ts'
import { kuredLockTaken } from './kured/lock-taken.ts'
import { silencesHold } from './silences/silences-due.ts'
import type { SubjectSnapshot } from './subject.ts'

// The requests of the operator, in the same order for a node and for a machine. Undefined: nothing is left to do or to wait for.

/** Before the record of the node or machine. */
export const beforeRecord = (s: SubjectSnapshot): Hold | undefined =>
  holdWhere(gatesHold(s, 'node')) ?? holdWhere(kuredLockTaken(s))

/**
 * The node or machine is recorded, and in service. The gates come last: none of their answers becomes too old during the wait
 * for a silence or a lock.
 */
export const beforeLeaving = (s: SubjectSnapshot): HookAnswer | undefined =>
  holdWhere(kuredLockTaken(s)) ??
  holdWhere(silencesHold(s)) ??
  holdWhere(gatesHold(s, 'node')) ??
  hooksAt(s, 'beforeNode')

/** The node or machine is out, and nothing else holds its reboot. */
export const beforeReboot = (s: SubjectSnapshot): HookAnswer | undefined =>
  holdWhere(gatesHold(s, 'reboot')) ?? hooksAt(s, 'beforeReboot')

/** Only the traffic of the node or machine is not back yet. */
export const beforeAttach = (s: SubjectSnapshot): HookAnswer | undefined =>
  holdWhere(hooksUnwritten(s, 'beforeAttach')) ?? holdWhere(gatesHold(s, 'attach')) ?? hooksAt(s, 'beforeAttach')
