import { act, hold } from '../../step-answer.ts'
import { beforeReboot } from '../blocked.ts'
import { mayStart } from '../guards.ts'
import { ownPodLeaves } from '../own-pod.ts'
import type { StepRule } from '../step-rule.ts'

/**
 * Step 3: only after all guards of the detach pass on every instance, the last usable server among them. The pod of the roll leaves
 * with the cordon, which keeps its successor away.
 */
export const cordon: StepRule = {
  step: 'cordon',
  next(s) {
    if (s.current.node.unschedulable) return ownPodLeaves(s)
    const refusals = mayStart(s)
    if (refusals.length > 0) return hold(refusals)
    return act([{ kind: 'cordon', node: s.current.node.name }], {
      code: 'Schedulable',
      text: 'new pods can still be scheduled here',
    })
  },
  remember: beforeReboot,
}
