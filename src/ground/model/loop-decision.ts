import type { Reason } from './reason.ts'

/**
 * What one pass of a controller's loop came to. `act`: these, in order, and then another look. `hold`: nothing, since
 * something is against it. `settled`: all is as it should be, and the reasons say what is worth knowing of it. `later`: wanted as
 * well, and nothing is done about it in this pass, since it was refused before.
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
