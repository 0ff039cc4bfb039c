import type { Reason } from './reason.ts'

/**
 * The decision of one pass of a controller's loop. `act`: these actions, in order, and then another pass. `hold`: no action,
 * for these reasons. `settled`: all is as it should be; the reasons are worth knowing. `later`: actions that are wanted too,
 * and not done in this pass, since they were refused or done in vain before, or others come first.
 */
export type LoopDecision<A> =
  | {
      readonly kind: 'act'
      readonly actions: readonly A[]
      readonly reasons: readonly Reason[]
      readonly later?: readonly A[]
    }
  | {
      readonly kind: 'hold'
      readonly reasons: readonly Reason[]
      readonly recheckAfterMs: number
      readonly later?: readonly A[]
    }
  | { readonly kind: 'settled'; readonly reasons: readonly Reason[] }
