import { refKey } from '../../model/object-ref.ts'
import type { SeenSlot } from '../../model/slot.ts'

/** Who holds a slot, in words. */
export const ownerText = ({ owner, livesBy }: Pick<SeenSlot, 'owner' | 'livesBy'>): string =>
  livesBy === undefined ? `run ${owner.run}` : `the controller of Lease ${refKey(livesBy)}`
