import type { Lease } from './lease.ts'
import type { ObjectRef } from './object-ref.ts'

/** A slot of the node budget is a Lease; these annotations say for whom it is held. */
export const RUN_ANNOTATION = 'evenkeel.dev/run'
export const NODE_ANNOTATION = 'evenkeel.dev/node'

/** The Lease that stands for the one slot there is. */
export const slotRef = (namespace: string): ObjectRef => ({ namespace, name: 'evenkeel-slot-0' })

/** Who holds a slot, as the Lease says; foreign text, since anybody may write a Lease. */
export interface SlotOwner {
  readonly holder: string
  /** The roll the holder works for; for a holder that is none of ours, all of its text. */
  readonly run: string
  readonly node?: string
}

/** One process of one run: a resumed run is another process, so the two can tell each other apart. */
export const slotHolder = (run: string, nonce: string): string => `${run}/${nonce}`

/** Undefined where nobody holds it. */
export function slotOwner(lease: Lease): SlotOwner | undefined {
  if (lease.holder === '') return undefined
  const slash = lease.holder.lastIndexOf('/')
  const node = lease.annotations[NODE_ANNOTATION]
  return {
    holder: lease.holder,
    run: slash < 0 ? lease.holder : lease.holder.slice(0, slash),
    ...(node === undefined ? {} : { node }),
  }
}
