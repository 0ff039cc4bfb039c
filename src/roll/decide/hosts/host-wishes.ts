import type { Step } from '../../model/step.ts'
import type { HookMoment } from '../../model/step-hook.ts'
import { gatesHold } from '../gates/gates-hold.ts'
import { type HookAnswer, hooksAt, hooksUnwritten, undoHooks } from '../hooks/hooks-due.ts'
import { silencesHold } from '../silences/silences-due.ts'
import { type HostDecision, holdAt } from './host-decision.ts'
import type { HostSnapshot } from './host-snapshot.ts'

/** Before its record. */
export function beforeRecord(s: HostSnapshot): HostDecision | undefined {
  const gates = gatesHold(s, 'node')
  return gates.length > 0 ? holdAt('record', gates) : undefined
}

/** It is recorded, and has its addresses. The gates after the silences: no answer of theirs becomes old while a silence is waited for. */
export function beforeLeaving(s: HostSnapshot): HostDecision | undefined {
  const silences = silencesHold(s)
  if (silences.length > 0) return holdAt('detach', silences)
  const gates = gatesHold(s, 'node')
  return gates.length > 0 ? holdAt('detach', gates) : hooksOf(s, 'beforeNode', 'detach')
}

/** Its addresses are away, and nothing else stands against its reboot. */
export function beforeReboot(s: HostSnapshot): HostDecision | undefined {
  const gates = gatesHold(s, 'reboot')
  return gates.length > 0 ? holdAt('reboot', gates) : hooksOf(s, 'beforeReboot', 'reboot')
}

/** It is as before in all but its addresses. */
export function beforeAttach(s: HostSnapshot): HostDecision | undefined {
  const unwritten = hooksUnwritten(s, 'beforeAttach')
  if (unwritten.length > 0) return holdAt('settle', unwritten)
  const gates = gatesHold(s, 'attach')
  return gates.length > 0 ? holdAt('settle', gates) : hooksOf(s, 'beforeAttach', 'settle')
}

export const hooksOf = (s: HostSnapshot, moment: HookMoment, step: Step): HostDecision | undefined =>
  atStep(step, hooksAt(s, moment))

/** What was begun for it is taken back before it counts as put back. */
export const undone = (s: HostSnapshot, step: Step): HostDecision | undefined => atStep(step, undoHooks(s))

const atStep = (step: Step, answer: HookAnswer | undefined): HostDecision | undefined => answer && { ...answer, step }
