import type { Reason } from '../../ground/model/reason.ts'
import { type Action, actionKey } from '../../service/model/action.ts'
import type { NodeSnapshot } from './node-snapshot.ts'
import type { StepDecision } from './step-rule.ts'

/** What is to be repeated later is waited for: what failed, and what was done before and is undone. */
export function whenDue(decision: StepDecision, s: NodeSnapshot): StepDecision {
  if (decision.kind === 'hold') return decision
  const due = decision.actions.filter((action) => isDue(action, s))
  if (due.length > 0) return { ...decision, actions: due }
  const reasons = decision.actions.flatMap((action) => notDue(action, s))
  const recheckAfterMs = Math.max(Math.min(...decision.actions.map((action) => dueAt(action, s) - s.now)), 1)
  return { kind: 'hold', step: decision.step, reasons: [...reasons, ...decision.reasons], recheckAfterMs }
}

export const isDue = (action: Action, s: NodeSnapshot): boolean => dueAt(action, s) <= s.now

function dueAt(action: Action, { evidence: { retries, written = {} }, now }: NodeSnapshot): number {
  const key = actionKey(action)
  return Math.max(retries[key]?.notBefore ?? now, written[key]?.notBefore ?? now)
}

/** Why it is not done now. Where another owner has the slot, the step names it and says what to do. */
function notDue(action: Action, s: NodeSnapshot): readonly Reason[] {
  const key = actionKey(action)
  const retry = s.evidence.retries[key]
  if (retry !== undefined && retry.notBefore > s.now)
    return isAnswered(action, s) ? [] : [{ code: 'Retrying', text: retry.error }]
  const words = wordsOf(action)
  return words === undefined ? [] : [undoneByOthers(action.node, words)]
}

const undoneByOthers = (node: string, words: string): Reason => ({
  code: 'UndoneByOthers',
  object: node,
  text: `${node} was ${words}, but somebody undid that`,
})

const isAnswered = (action: Action, s: NodeSnapshot): boolean =>
  action.kind === 'takeSlot' && (s.slot.state === 'other' || s.slot.state === 'stale')

/** What is written on the Node alone, as it is said of the node. Undefined: something else, which may be needed again at once. */
export function wordsOf({ kind }: Action): string | undefined {
  switch (kind) {
    case 'cordon':
      return 'cordoned'
    case 'uncordon':
      return 'uncordoned'
    case 'addTaint':
      return 'tainted'
    case 'removeTaint':
      return 'freed of a taint'
    case 'writeRecord':
      return 'given its record'
    case 'writeIntent':
      return 'given the announcement of its reboot'
    default:
      return undefined
  }
}
