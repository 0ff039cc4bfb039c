import { shellWord } from '../../../model/posix-quote.ts'
import type { Reason } from '../../../model/reason.ts'
import { type HookWay, hookKey, type StepHook } from '../../../model/step-hook.ts'
import type { Verdict } from '../../../model/verdict.ts'
import { hasCurrent, type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { failed, isGivenUp } from './hooks-due.ts'

/**
 * A hook that has failed for good stops the roll where the file says so. Before the intent the node is restored. After it, it goes
 * on to its proof and back, and the next node is not begun.
 */
export function hookVerdict(s: RollSnapshot): Verdict | undefined {
  // A node that was put back waits for its next begin: what failed for it before counts no more.
  if (s.run.verdict !== undefined || !hasCurrent(s) || ownRecord(s) === undefined) return undefined
  const reasons = (s.spec.hooks ?? [])
    .filter(({ onFailure }) => onFailure !== 'ignore')
    .flatMap((hook) => [...failureOf(s, hook, 'run'), ...failureOf(s, hook, 'undo')])
  return reasons.length === 0 ? undefined : { kind: 'stopped', keepOut: false, reasons }
}

function failureOf(s: NodeSnapshot, hook: StepHook, way: HookWay): readonly Reason[] {
  const state = s.hooks?.states[hookKey(s.current.node.name, way, hook.name)]
  if (state?.kind !== 'failed' || !isGivenUp(s, hook, way)) return []
  const reason = failed(s, hook, { way, state })
  return [way === 'undo' ? { ...reason, next: byHand(hook.undo ?? [], s.current.node.name) } : reason]
}

/** What a person types where an undo has failed. */
export const byHand = (undo: readonly string[], node: string): string =>
  undo.map((word) => shellWord(word.replaceAll('{node}', node))).join(' ')
