import { shellWord } from '../../../ground/model/posix-quote.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { isFor } from '../../model/request-scope.ts'
import { type HookWay, hookKey, type StepHook } from '../../model/step-hook.ts'
import type { Verdict } from '../../model/verdict.ts'
import { type AnySnapshot, hasSubject, isBegun, placeOf, type SubjectSnapshot, subjectOf } from '../subject.ts'
import { failed, isGivenUp } from './hooks-due.ts'

/**
 * A hook that has failed for good stops the roll where the file says so. Before the intent the node or machine is restored.
 * After it, the work on it goes on to its proof and its return, and the next one is not begun.
 */
export function hookVerdict(s: AnySnapshot): Verdict | undefined {
  // A node that was put back waits until it is begun again: a hook that failed for it before does not count any more.
  if (s.run.verdict !== undefined || !hasSubject(s) || !isBegun(s)) return undefined
  const reasons = (s.spec.hooks ?? [])
    .filter((hook) => hook.onFailure !== 'ignore' && isFor(hook, subjectOf(s).scope))
    .flatMap((hook) => [...failureOf(s, hook, 'run'), ...failureOf(s, hook, 'undo')])
  return reasons.length === 0 ? undefined : { kind: 'stopped', keepOut: false, reasons }
}

function failureOf(s: SubjectSnapshot, hook: StepHook, way: HookWay): readonly Reason[] {
  const state = s.hooks?.states[hookKey(subjectOf(s).name, way, hook.name)]
  if (state?.kind !== 'failed' || !isGivenUp(s, hook, way)) return []
  const reason = failed(s, hook, { way, state })
  return [way === 'undo' ? { ...reason, next: byHand(hook.undo ?? [], placeOf(s)) } : reason]
}

/** The command that a person types where an undo has failed. */
export const byHand = (undo: readonly string[], { node, address = '{address}' }: Place): string =>
  undo.map((word) => shellWord(word.replaceAll('{node}', node).replaceAll('{address}', address))).join(' ')

type Place = ReturnType<typeof placeOf>
