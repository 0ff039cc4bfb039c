import type { Reason } from '../../ground/model/reason.ts'
import type { Action } from '../../service/model/action.ts'
import type { MachineAction } from './host-pair.ts'
import type { Step } from './step.ts'

/** `recheckAfterMs`: the cluster may also change without an event. */
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
export type AnyDecision = Decision<Action | MachineAction>

/** A decision that does not say settled. */
export type AnyWaiting = Exclude<AnyDecision, { readonly kind: 'settled' }>
