import type { Reason } from '../../ground/model/reason.ts'
import { type Hold, hold } from '../../service/decide/step-answer.ts'
import { gatesHold } from './gates/gates-hold.ts'
import { type HookAnswer, hooksAt, hooksUnwritten } from './hooks/hooks-due.ts'
import { kuredLockTaken } from './kured/lock-taken.ts'
import { silencesHold } from './silences/silences-due.ts'
import type { SubjectSnapshot } from './subject.ts'

// What the operator asked for beside the roll itself, in the order in which it is asked of a node and of a machine. Undefined:
// nothing is left to do or to wait for.

const waiting = (reasons: readonly Reason[]): Hold | undefined => (reasons.length > 0 ? hold(reasons) : undefined)

/** Before its record. */
export const beforeRecord = (s: SubjectSnapshot): Hold | undefined =>
  waiting(gatesHold(s, 'node')) ?? waiting(kuredLockTaken(s))

/** It is recorded, and in service. The gates last: no answer of theirs becomes old while a silence or a lock is waited for. */
export const beforeLeaving = (s: SubjectSnapshot): HookAnswer | undefined =>
  waiting(kuredLockTaken(s)) ?? waiting(silencesHold(s)) ?? waiting(gatesHold(s, 'node')) ?? hooksAt(s, 'beforeNode')

/** It is out, and nothing else stands against its reboot. */
export const beforeReboot = (s: SubjectSnapshot): HookAnswer | undefined =>
  waiting(gatesHold(s, 'reboot')) ?? hooksAt(s, 'beforeReboot')

/** It is as before in all but its traffic. */
export const beforeAttach = (s: SubjectSnapshot): HookAnswer | undefined =>
  waiting(hooksUnwritten(s, 'beforeAttach')) ?? waiting(gatesHold(s, 'attach')) ?? hooksAt(s, 'beforeAttach')
