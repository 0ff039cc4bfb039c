import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { act, done } from '../../../service/decide/step-answer.ts'
import { type Action, actionKey } from '../../../service/model/action.ts'
import { OUT_TAINT } from '../../../service/model/node-record.ts'
import { isOfRequests } from '../gates/gates-hold.ts'
import { hooksAt, hooksUnwritten, isHookUnwritten } from '../hooks/hooks-due.ts'
import { hasRebooted, type RecordedSnapshot } from '../node-snapshot.ts'
import { keptOut, type StepRule } from '../step-rule.ts'
import { undoneByOthers } from '../when-due.ts'

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
  remember({ evidence: { unwrittenSince, uncordoningMs = 0, passedAt }, now, cluster }, { reasons }) {
    if (reasons.some(isHookUnwritten)) return { unwrittenSince: unwrittenSince ?? now }
    const isOfHooks = reasons.some(({ code }) => isOfRequests(code) || code === 'HookDue')
    const standsStill = isOfHooks || cluster.staleForMs > 0
    return standsStill ? {} : { uncordoningMs: uncordoningMs + now - (passedAt ?? now) }
  },
  /** A hook that waits for the journal has the limit of the step settle, which has not begun yet, and so has a cordon that stays. */
  limit(s) {
    const { limitMs } = s.spec.settle
    const against = againstUncordon(s)
    if (against.length === 0) return undefined
    const { name } = s.current.node
    const text = `${name} did not settle within the limit (${formatDuration(limitMs)})`
    return keptOut({ code: 'NotSettled', object: name, text }, against)
  },
}

function againstUncordon(s: RecordedSnapshot): readonly Reason[] {
  const { unwrittenSince, attachingSince, uncordoningMs = 0, retries } = s.evidence
  const { limitMs } = s.spec.settle
  if (uncordoningMs >= limitMs) {
    const { name } = s.current.node
    const retry = retries[actionKey({ kind: 'uncordon', node: name })] ?? retries[`removeTaint ${name}`]
    return [retry === undefined ? undoneByOthers(name, 'uncordoned') : { code: 'Retrying', text: retry.error }]
  }
  if (attachingSince !== undefined || unwrittenSince === undefined || s.now - unwrittenSince < limitMs) return []
  return hooksUnwritten(s, 'afterReboot')
}
