import type { Action } from '../../../model/action.ts'
import type { Reason } from '../../../model/reason.ts'
import { type HookMoment, type HookWay, hookKey, type StepHook } from '../../../model/step-hook.ts'
import { act, hold, type StepAnswer } from '../../step-answer.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import type { HookFacts, HookState } from './hook-facts.ts'

/** An undo is tried so often, whatever its hook says of failures: it restores. */
const UNDO_TRIES = 3

/**
 * The operator's hooks of this moment, one after the other. Undefined: nothing is left to do or to wait for. One that an earlier
 * process began is run again, since it is not known how it ended.
 *
 * Law: a hook runs at least once, and is never taken for run before it ended.
 * Law: no reboot is announced after a hook before it has failed for good.
 */
export function hooksAt(s: NodeSnapshot, moment: HookMoment): StepAnswer | undefined {
  if (s.hooks?.isLost === true) return undefined
  for (const hook of s.spec.hooks ?? []) {
    const answer = hook.at === moment ? next(s, hook, 'run') : undefined
    if (answer !== undefined) return answer
  }
  return undefined
}

/**
 * Whatever was begun for the node is taken back, the last one first.
 *
 * Law: what a hook has begun is undone before the record of its node is removed.
 */
export function undoHooks(s: NodeSnapshot): StepAnswer | undefined {
  for (const hook of (s.spec.hooks ?? []).toReversed()) {
    const run = stateOf(s, hook, 'run')
    if (run?.kind === 'running') return hold([runs(s, hook, 'run')])
    const answer = isToUndo(s.hooks, s.current.node.name, hook) ? next(s, hook, 'undo') : undefined
    if (answer !== undefined) return answer
  }
  return undefined
}

/** One that failed may have done a part of its work. */
export const isToUndo = (facts: HookFacts | undefined, node: string, hook: StepHook): boolean =>
  hook.undo !== undefined &&
  hook.at !== 'afterRoll' &&
  (facts?.isLost === true || facts?.states[hookKey(node, 'run', hook.name)] !== undefined)

function next(s: NodeSnapshot, hook: StepHook, way: HookWay): StepAnswer | undefined {
  const state = stateOf(s, hook, way)
  if (state?.kind === 'running') return hold([runs(s, hook, way)])
  if (state === undefined || state.kind === 'begun') return start(s, hook, way)
  if (state.kind !== 'failed') return undefined
  if (isGivenUp(s, hook, way)) return stops(hook, way) ? hold([failed(s, hook, { way, state })]) : undefined
  return s.now >= state.nextAt ? start(s, hook, way) : hold([failed(s, hook, { way, state })])
}

/** Nothing further is done to a node that can still be restored: the verdict comes with this pass. */
const stops = ({ at, onFailure }: StepHook, way: HookWay): boolean =>
  way === 'run' && onFailure !== 'ignore' && (at === 'beforeNode' || at === 'beforeReboot')

const stateOf = ({ hooks, current }: NodeSnapshot, { name }: StepHook, way: HookWay): HookState | undefined =>
  hooks?.states[hookKey(current.node.name, way, name)]

/** It has failed, and is run no more. */
export function isGivenUp(s: NodeSnapshot, hook: StepHook, way: HookWay): boolean {
  const state = stateOf(s, hook, way)
  if (state?.kind !== 'failed') return false
  if (way === 'undo') return state.failures >= UNDO_TRIES
  return hook.onFailure !== 'hold' || s.now - state.since >= hook.limitMs
}

function start({ current: { node } }: NodeSnapshot, hook: StepHook, way: HookWay): StepAnswer {
  const [address] = node.internalAddresses
  const action: Action = {
    kind: way === 'run' ? 'runHook' : 'undoHook',
    node: node.name,
    hook: hook.name,
    ...(address === undefined ? {} : { address }),
  }
  return act([action], { code: 'HookDue', object: hook.name, text: `${nameOf(hook, way)} is due for ${node.name}` })
}

const nameOf = ({ name }: StepHook, way: HookWay): string =>
  way === 'run' ? `hook ${name}` : `the undo of hook ${name}`

const runs = ({ current: { node } }: NodeSnapshot, hook: StepHook, way: HookWay): Reason => ({
  code: 'HookRuns',
  object: hook.name,
  text: `${nameOf(hook, way)} runs for ${node.name}`,
})

interface Failure {
  readonly way: HookWay
  readonly state: Extract<HookState, { kind: 'failed' }>
}

export const failed = (s: NodeSnapshot, hook: StepHook, { way, state }: Failure): Reason => ({
  code: 'HookFailed',
  object: hook.name,
  text: `${nameOf(hook, way)} failed for ${s.current.node.name}: ${state.text}`,
})
