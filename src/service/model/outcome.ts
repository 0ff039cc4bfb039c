import type { EvictionAnswer } from '../../ground/model/eviction.ts'
import type { RebootAnswer } from '../../ground/model/host.ts'
import type { Node } from '../../ground/model/node.ts'
import type { SlotOwner } from '../../ground/model/slot.ts'

/** The result of an action. `retryInMs` is never zero: back-off with jitter, or what the server asked for. */
export type Outcome =
  | {
      readonly ok: true
      readonly eviction?: EvictionAnswer
      readonly reboot?: RebootAnswer
      /** The Node after a write to it. */
      readonly node?: Node
    }
  | {
      readonly ok: false
      readonly code: string
      readonly error: string
      readonly retryInMs: number
      readonly eviction?: EvictionAnswer
      readonly reboot?: RebootAnswer
      /** The holder of the slot, where the slot was not given. */
      readonly slot?: { readonly owner?: SlotOwner; readonly staleInMs: number }
    }
