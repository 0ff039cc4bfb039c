import { act, hold, type StepAnswer } from '../../../service/decide/step-answer.ts'
import { beforeReboot } from '../blocked.ts'
import { gatesHold } from '../gates/gates-hold.ts'
import { mayStart } from '../guards.ts'
import { hooksAt } from '../hooks/hooks-due.ts'
import { kuredLockTaken } from '../kured/lock-taken.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { ownPodLeaves } from '../own-pod.ts'
import { silencesHold } from '../silences/silences-due.ts'
import type { StepRule } from '../step-rule.ts'

/**
 * Step 3: only after all guards of the detach pass on every instance, the last usable server among them. The pod of the roll leaves
 * with the cordon, which keeps its successor away.
 */
export const cordon: StepRule = {
  step: 'cordon',
  next(s) {
    if (s.current.node.unschedulable) return hooksOfCordoned(s) ?? ownPodLeaves(s)
    const refusals = mayStart(s)
    if (refusals.length > 0) return hold(refusals)
    const lock = kuredLockTaken(s)
    if (lock.length > 0) return hold(lock)
    // The gates last: no answer of theirs becomes old while a silence or a lock is waited for.
    const silences = silencesHold(s)
    if (silences.length > 0) return hold(silences)
    const gates = gatesHold(s, 'node')
    if (gates.length > 0) return hold(gates)
    const hooks = hooksAt(s, 'beforeNode')
    if (hooks !== undefined) return hooks
    return act([{ kind: 'cordon', node: s.current.node.name }], {
      code: 'Schedulable',
      text: 'new pods can still be scheduled here',
    })
  },
  remember: beforeReboot,
}

/** A node that people cordoned has its hooks, and its silences, before anything is taken from it. */
function hooksOfCordoned(s: RecordedSnapshot): StepAnswer | undefined {
  if (Object.keys(s.evidence.detached).length > 0) return undefined
  const silences = silencesHold(s)
  return silences.length > 0 ? hold(silences) : hooksAt(s, 'beforeNode')
}
