import type { DeadlineError } from '../../ground/loop/deadline.ts'
import type { SlotOwner } from '../../ground/model/slot.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { WorldError } from '../../ground/model/world-error.ts'

/** The API did not say: it may be gone, refuse, or have done what was asked without our hearing of it. */
export interface Unanswered {
  readonly kind: 'unanswered'
  readonly error: WorldError | DeadlineError
}

/** What a keeper knows of its slot. */
export type SlotState =
  | { readonly kind: 'free' }
  | { readonly kind: 'held'; readonly node: string; readonly renewedAt: MonoMs }
  /** `owner`: the owner that has it now; absent where the Lease is free or gone. */
  | { readonly kind: 'lost'; readonly node: string; readonly owner?: SlotOwner }

export type AcquireAnswer =
  /** `previous`: whom it was taken from; with our own run in it, a process of ours that is no more. */
  | { readonly kind: 'held'; readonly previous?: SlotOwner }
  /** `staleInMs`: 0 once it is stale. `owner` is absent where another holder was faster and has released it since. */
  | { readonly kind: 'taken'; readonly owner?: SlotOwner; readonly staleInMs: number }
  | Unanswered

export type RenewAnswer =
  | { readonly kind: 'renewed' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'free' }
  | Unanswered

export type ReleaseAnswer =
  | { readonly kind: 'free' }
  | { readonly kind: 'lost' }
  /** Its holder could not be cleared. Nobody has renewed it for its duration, so that it is stale for every other run. */
  | { readonly kind: 'stale'; readonly error: Unanswered['error'] }
  | Unanswered
