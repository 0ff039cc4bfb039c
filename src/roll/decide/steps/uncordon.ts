import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { act, done } from '../../../service/decide/step-answer.ts'
import type { Action } from '../../../service/model/action.ts'
import { OUT_TAINT } from '../../../service/model/node-record.ts'
import { hooksAt, hooksUnwritten, isHookUnwritten } from '../hooks/hooks-due.ts'
import { hasRebooted, type RecordedSnapshot } from '../node-snapshot.ts'
import { returning } from '../returning.ts'
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
  remember(s, decision) {
    const { unwrittenSince = s.now } = s.evidence
    return decision.reasons.some(isHookUnwritten) ? { unwrittenSince } : returning(s, decision)
  },
  /** The steps before `settle` have its limit, and so has a hook that waits for the journal. */
  limit(s) {
    const { limitMs } = s.spec.settle
    const against = notReturned(s)
    if (against.length === 0) return undefined
    const { name } = s.current.node
    const text = `${name} did not settle within the limit (${formatDuration(limitMs)})`
    return keptOut({ code: 'NotSettled', object: name, text }, against)
  },
}

function notReturned(s: RecordedSnapshot): readonly Reason[] {
  const { unwrittenSince, attachingSince, returning: { ms, reasons } = { ms: 0, reasons: [] } } = s.evidence
  const { limitMs } = s.spec.settle
  if (ms >= limitMs) return reasons
  if (attachingSince !== undefined || unwrittenSince === undefined || s.now - unwrittenSince < limitMs) return []
  return hooksUnwritten(s, 'afterReboot')
}
