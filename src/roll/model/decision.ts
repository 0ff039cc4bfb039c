import type { Reason } from '../../ground/model/reason.ts'
import type { Action } from '../../service/model/action.ts'
import type { HostAction } from './host-pair.ts'
import type { Step } from './step.ts'

/** `recheckAfterMs`: the world may also change by itself, without an event that wakes us. */
export type Decision<Effect = Action> =
  | {
      readonly kind: 'act'
      readonly step: Step
      readonly actions: readonly Effect[]
      readonly reasons: readonly Reason[]
    }
  | { readonly kind: 'hold'; readonly step: Step; readonly reasons: readonly Reason[]; readonly recheckAfterMs: number }
  | { readonly kind: 'settled'; readonly reasons: readonly Reason[] }

/** About a node or about a machine. */
export type AnyDecision = Decision<Action | HostAction>

/** It is not settled. */
export type AnyWaiting = Exclude<AnyDecision, { readonly kind: 'settled' }>
