import type { Claim } from '../../ground/model/claims.ts'
import type { SeenSlot } from '../../ground/model/slot.ts'

/** What an owner does to take a node out and to bring it back. One write each. */
export type NodeEffect = { readonly node: string } & (
  | { readonly kind: 'takeSlot'; readonly index: number; readonly stale?: SeenSlot }
  | { readonly kind: 'releaseSlot'; readonly index: number }
  | { readonly kind: 'claim'; readonly claim: Claim }
  | { readonly kind: 'withdrawClaim'; readonly owner: string }
)
