import type { Reason } from '../../ground/model/reason.ts'
import { type Hold, hold } from '../../service/decide/step-answer.ts'
import { gatesHold } from './gates/gates-hold.ts'
import { type HookAnswer, hooksAt, hooksUnwritten } from './hooks/hooks-due.ts'
import { kuredLockTaken } from './kured/lock-taken.ts'
import { silencesHold } from './silences/silences-due.ts'
import type { SubjectSnapshot } from './subject.ts'

// The requests of the operator, in the same order for a node and for a machine. Undefined: nothing is left to do or to wait for.

const waiting = (reasons: readonly Reason[]): Hold | undefined => (reasons.length > 0 ? hold(reasons) : undefined)

/** Before the record of the node or machine. */
export const beforeRecord = (s: SubjectSnapshot): Hold | undefined =>
  waiting(gatesHold(s, 'node')) ?? waiting(kuredLockTaken(s))

/**
 * The node or machine is recorded, and in service. The gates come last: none of their answers becomes too old during the wait
 * for a silence or a lock.
 */
export const beforeLeaving = (s: SubjectSnapshot): HookAnswer | undefined =>
  waiting(kuredLockTaken(s)) ?? waiting(silencesHold(s)) ?? waiting(gatesHold(s, 'node')) ?? hooksAt(s, 'beforeNode')

/** The node or machine is out, and nothing else holds its reboot. */
export const beforeReboot = (s: SubjectSnapshot): HookAnswer | undefined =>
  waiting(gatesHold(s, 'reboot')) ?? hooksAt(s, 'beforeReboot')

/** Only the traffic of the node or machine is not back yet. */
export const beforeAttach = (s: SubjectSnapshot): HookAnswer | undefined =>
  waiting(hooksUnwritten(s, 'beforeAttach')) ?? waiting(gatesHold(s, 'attach')) ?? hooksAt(s, 'beforeAttach')
