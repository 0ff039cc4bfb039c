import { formatDuration } from '../../../ground/model/duration.ts'
import { act, done } from '../../../service/decide/step-answer.ts'
import type { Action } from '../../../service/model/action.ts'
import { OUT_TAINT } from '../../../service/model/node-record.ts'
import { hooksAt, hooksUnwritten, isHookUnwritten } from '../hooks/hooks-due.ts'
import { hasRebooted } from '../node-snapshot.ts'
import { keptOut, type StepRule } from '../step-rule.ts'

/** Step 8: as recorded, so that a node that was cordoned before this run stays cordoned. After a reboot, hooks come first. */
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
  remember({ evidence: { unwrittenSince }, now }, { reasons }) {
    return reasons.some(isHookUnwritten) ? { unwrittenSince: unwrittenSince ?? now } : {}
  },
  /** A hook that waits for the journal has the limit of the step settle, which has not begun yet. */
  limit(s) {
    const { unwrittenSince: since, attachingSince } = s.evidence
    if (attachingSince !== undefined || since === undefined || s.now - since < s.spec.settle.limitMs) return undefined
    const unwritten = hooksUnwritten(s, 'afterReboot')
    if (unwritten.length === 0) return undefined
    const { name } = s.current.node
    const text = `${name} did not settle within the limit (${formatDuration(s.spec.settle.limitMs)})`
    return keptOut({ code: 'NotSettled', object: name, text }, unwritten)
  },
}
