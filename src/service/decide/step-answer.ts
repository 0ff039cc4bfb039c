import type { Reason } from '../../ground/model/reason.ts'
import type { Action } from '../model/action.ts'

/** The answer of a step: its postcondition holds, or what to do for it, or why to wait. */
export type StepAnswer<Effect = Action> =
  | { readonly kind: 'done' }
  | { readonly kind: 'act'; readonly actions: readonly Effect[]; readonly reasons: readonly Reason[] }
  | Hold

export interface Hold {
  readonly kind: 'hold'
  readonly reasons: readonly Reason[]
  readonly recheckAfterMs: number
}

/** How soon to decide again where no event announces the change. */
export const RECHECK_MS = 500

export const done: Extract<StepAnswer, { kind: 'done' }> = { kind: 'done' }
export const act = <Effect = Action>(
  actions: readonly Effect[],
  ...reasons: readonly Reason[]
): Extract<StepAnswer<Effect>, { kind: 'act' }> => ({ kind: 'act', actions, reasons })
export const hold = (reasons: readonly Reason[], recheckAfterMs = RECHECK_MS): Hold => ({
  kind: 'hold',
  reasons,
  recheckAfterMs,
})

/** Undefined: nothing is against it. */
export const holdWhere = (against: readonly Reason[]): Hold | undefined =>
  against.length > 0 ? hold(against) : undefined
