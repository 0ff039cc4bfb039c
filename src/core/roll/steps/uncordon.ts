import type { Action } from '../../../model/action.ts'
import { OUT_TAINT } from '../../../model/node-record.ts'
import { act, done } from '../../step-answer.ts'
import { hooksAt } from '../hooks/hooks-due.ts'
import { hasRebooted } from '../node-snapshot.ts'
import type { StepRule } from '../step-rule.ts'

/** Step 8: as recorded. What was cordoned before us stays so. After a reboot, the hooks that follow it come first. */
export const uncordon: StepRule = {
  step: 'uncordon',
  next(s) {
    const isFirst = hasRebooted(s) && s.evidence.attachingSince === undefined
    const hooks = isFirst ? hooksAt(s, 'afterReboot') : undefined
    if (hooks !== undefined) return hooks
    const { node } = s.current
    const actions: Action[] = []
    const shut = node.taints.find((taint) => taint.key === OUT_TAINT.key)
    if (shut !== undefined) actions.push({ kind: 'removeTaint', node: node.name, taint: shut })
    if (node.unschedulable && !s.record.unschedulable) actions.push({ kind: 'uncordon', node: node.name })
    return actions.length === 0 ? done : act(actions, { code: 'CordonedByUs', text: 'the cordon is ours' })
  },
}
