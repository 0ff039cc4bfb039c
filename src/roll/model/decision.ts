import type { Reason } from '../../ground/model/reason.ts'
import type { Action } from '../../service/model/action.ts'
import type { Step } from './step.ts'

/** `recheckAfterMs`: the world may also change by itself, without an event that wakes us. */
export type Decision =
  | {
      readonly kind: 'act'
      readonly step: Step
      readonly actions: readonly Action[]
      readonly reasons: readonly Reason[]
    }
  | { readonly kind: 'hold'; readonly step: Step; readonly reasons: readonly Reason[]; readonly recheckAfterMs: number }
  | { readonly kind: 'settled'; readonly reasons: readonly Reason[] }
