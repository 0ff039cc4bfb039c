import type { EvictionAnswer } from './eviction.ts'
import type { RebootAnswer } from './host.ts'

/** How an action went. `retryInMs` is never zero: back-off with jitter, or what the world asked for. */
export type Outcome =
  | { readonly ok: true; readonly eviction?: EvictionAnswer; readonly reboot?: RebootAnswer }
  | {
      readonly ok: false
      readonly code: string
      readonly error: string
      readonly retryInMs: number
      readonly eviction?: EvictionAnswer
      readonly reboot?: RebootAnswer
    }
