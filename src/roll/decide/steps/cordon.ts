import type { Reason } from '../../../ground/model/reason.ts'
import { act, done, hold, holdWhere, type StepAnswer } from '../../../service/decide/step-answer.ts'
import { STEPS } from '../../model/step.ts'
import { beforeReboot } from '../blocked.ts'
import { mayDisrupt, mayStart } from '../guards.ts'
import { hooksAt } from '../hooks/hooks-due.ts'
import type { NodeSnapshot, RecordedSnapshot } from '../node-snapshot.ts'
import { ownPodLeaves } from '../own-pod.ts'
import { beforeLeaving } from '../requests.ts'
import { silencesHold } from '../silences/silences-due.ts'
import type { StepRule } from '../step-rule.ts'
import { isBeyondRestore } from '../subject.ts'

/**
 * Step 3: only after all guards of the detach pass on every instance, the last usable server among them. The pod of this roll, if it
 * runs here, leaves as soon as the cordon keeps its successor away.
 */
export const cordon: StepRule = {
  step: 'cordon',
  next(s) {
    if (s.current.node.unschedulable) return hooksOfCordoned(s) ?? ownPodLeaves(s)
    const refusals = mayStart(s)
    if (refusals.length > 0) return hold(refusals)
    const requested = beforeLeaving(s)
    if (requested !== undefined) return requested
    return act([{ kind: 'cordon', node: s.current.node.name }], {
      code: 'Schedulable',
      text: cordonLost(s) ?? 'new pods can still be scheduled here',
    })
  },
  remember: beforeReboot,
}

/** A node whose reboot is announced: it is out already, and only pods can have come since. */
export const cordonAgain: StepRule = {
  step: 'cordon',
  next(s) {
    const { name, unschedulable } = s.current.node
    if (unschedulable) return done
    return holdWhere(mayDisrupt(s)) ?? act([{ kind: 'cordon', node: name }], uncordonedByOthers)
  },
}

export const uncordonedByOthers: Reason = { code: 'UncordonedByOthers', text: 'the cordon was lifted meanwhile' }

/**
 * A node that this process had past this step has no cordon any more: people took it off, or the node registered anew. The roll sets it
 * again, and says so.
 */
export function cordonLost({ current: { node }, evidence: { stuckStep } }: NodeSnapshot): string | undefined {
  const wasPast = stuckStep !== undefined && STEPS.indexOf(stuckStep) > STEPS.indexOf('cordon')
  return wasPast && !node.unschedulable
    ? `${node.name} is not cordoned any more while the roll has it in work, so the roll sets the cordon again; to have it back: evenkeel roll abort`
    : undefined
}

/**
 * A node that people have cordoned gets no cordon of this run, so its silences and hooks come here, before its detach. Hooks run here
 * also for a node that an earlier process of this run left out: it undid them when it stopped.
 */
function hooksOfCordoned(s: RecordedSnapshot): StepAnswer | undefined {
  if (isBeyondRestore(s)) return undefined
  const silences = Object.keys(s.evidence.detached).length > 0 ? [] : silencesHold(s)
  return silences.length > 0 ? hold(silences) : hooksAt(s, 'beforeNode')
}
