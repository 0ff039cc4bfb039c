import type { Reason } from '../../../ground/model/reason.ts'
import { RECHECK_MS } from '../../../service/decide/step-answer.ts'
import type { HookAction } from '../../../service/model/action.ts'
import { isFor } from '../../model/request-scope.ts'
import { type HookMoment, type HookWay, hookKey, type StepHook } from '../../model/step-hook.ts'
import { placeOf, type Subject, type SubjectSnapshot, subjectOf } from '../subject.ts'
import type { HookState, HookStates } from './hook-states.ts'

/** How often an undo is tried, whatever its hook says about failures: it restores. */
const UNDO_TRIES = 3

/** A hook has to be begun, or is waited for. */
export type HookAnswer =
  | { readonly kind: 'act'; readonly actions: readonly HookAction[]; readonly reasons: readonly Reason[] }
  | { readonly kind: 'hold'; readonly reasons: readonly Reason[]; readonly recheckAfterMs: number }

const hold = (reason: Reason): HookAnswer => ({ kind: 'hold', reasons: [reason], recheckAfterMs: RECHECK_MS })

/**
 * The hooks of this moment, one after the other. Undefined: nothing is left to do or to wait for. A hook that an earlier
 * process began is run again, since how it ended is not known.
 *
 * Law: a hook runs at least once, and is never taken for run before it ended.
 * Law: no reboot is announced after a hook before it has failed for good.
 */
export function hooksAt(s: SubjectSnapshot, moment: HookMoment): HookAnswer | undefined {
  if (s.hooks?.isLost === true) return undefined
  for (const hook of s.spec.hooks ?? []) {
    const isDue = hook.at === moment && isFor(hook, subjectOf(s).scope)
    const answer = isDue ? next(s, hook, 'run') : undefined
    if (answer !== undefined) return answer
  }
  return undefined
}

/**
 * The next hook of this moment waits for the journal. This is asked before the gates, whose answers would become too old
 * meanwhile.
 */
export function hooksUnwritten(s: SubjectSnapshot, moment: HookMoment): readonly Reason[] {
  const answer = hooksAt(s, moment)
  return answer?.kind === 'hold' ? answer.reasons.filter(isHookUnwritten) : []
}

/**
 * Every hook that was begun for the node or machine is undone, the last one first.
 *
 * Law: what a hook has begun is undone before the record of its node is removed.
 */
export function undoHooks(s: SubjectSnapshot): HookAnswer | undefined {
  for (const hook of (s.spec.hooks ?? []).toReversed()) {
    const run = stateOf(s, hook, 'run')
    if (run?.kind === 'running') return hold(runs(s, hook, 'run'))
    const answer = isToUndo(s.hooks, subjectOf(s), hook) ? next(s, hook, 'undo') : undefined
    if (answer !== undefined) return answer
  }
  return undefined
}

/**
 * A failed hook may have done a part of its work. A hook that ran is undone, even if the file has changed and `appliesTo`
 * leaves it out.
 */
export const isToUndo = (
  known: HookStates | undefined,
  { scope, name }: Pick<Subject, 'scope' | 'name'>,
  hook: StepHook,
): boolean =>
  hook.undo !== undefined &&
  hook.at !== 'afterRoll' &&
  (known?.isLost === true ? isFor(hook, scope) : known?.states[hookKey(name, 'run', hook.name)] !== undefined)

function next(s: SubjectSnapshot, hook: StepHook, way: HookWay): HookAnswer | undefined {
  const state = stateOf(s, hook, way)
  if (state?.kind === 'running') return hold(runs(s, hook, way))
  if (state === undefined || state.kind === 'begun') return start(s, hook, way)
  if (state.kind !== 'failed') return undefined
  if (isGivenUp(s, hook, way)) return stops(hook, way) ? hold(failed(s, hook, { way, state })) : undefined
  return s.now >= state.nextAt ? start(s, hook, way) : hold(failed(s, hook, { way, state }))
}

/** Nothing more is done to a node or machine that can still be restored: the verdict comes with this pass. */
const stops = ({ at, onFailure }: StepHook, way: HookWay): boolean =>
  way === 'run' && onFailure !== 'ignore' && (at === 'beforeNode' || at === 'beforeReboot')

const stateOf = (s: SubjectSnapshot, { name }: StepHook, way: HookWay): HookState | undefined =>
  s.hooks?.states[hookKey(subjectOf(s).name, way, name)]

/** The hook has failed, and does not run again. */
export function isGivenUp(s: SubjectSnapshot, hook: StepHook, way: HookWay): boolean {
  const state = stateOf(s, hook, way)
  if (state?.kind !== 'failed') return false
  if (way === 'undo') return state.failures >= UNDO_TRIES
  return hook.onFailure !== 'hold' || s.now - state.since >= hook.limitMs
}

function start(s: SubjectSnapshot, hook: StepHook, way: HookWay): HookAnswer {
  const { node, ...address } = placeOf(s)
  if (way === 'run' && !s.journalWritable) return hold(unwritten(hook, node))
  const kind = way === 'run' ? 'runHook' : 'undoHook'
  const text = `${nameOf(hook, way)} is due for ${node}`
  return {
    kind: 'act',
    actions: [{ kind, node, hook: hook.name, ...address }],
    reasons: [{ code: 'HookDue', object: hook.name, text }],
  }
}

/** Without the journal, a later process could not know that the hook was begun. An undo restores, and needs no journal. */
const unwritten = ({ name }: StepHook, node: string): Reason => ({
  code: 'JournalNotWritable',
  object: name,
  text: `the journal cannot be written, so hook ${name} is not run for ${node}`,
})

/** The reason is a hook that waits for the journal. The guards of the steps name no object. */
export const isHookUnwritten = ({ code, object }: Reason): boolean =>
  code === 'JournalNotWritable' && object !== undefined

const nameOf = ({ name }: StepHook, way: HookWay): string =>
  way === 'run' ? `hook ${name}` : `the undo of hook ${name}`

const runs = (s: SubjectSnapshot, hook: StepHook, way: HookWay): Reason => ({
  code: 'HookRuns',
  object: hook.name,
  text: `${nameOf(hook, way)} runs for ${subjectOf(s).name}`,
})

interface Failure {
  readonly way: HookWay
  readonly state: Extract<HookState, { kind: 'failed' }>
}

export const failed = (s: SubjectSnapshot, hook: StepHook, { way, state }: Failure): Reason => ({
  code: 'HookFailed',
  object: hook.name,
  text: `${nameOf(hook, way)} failed for ${subjectOf(s).name}: ${state.text}`,
})
