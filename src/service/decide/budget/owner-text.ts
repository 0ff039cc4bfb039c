import { refKey } from '../../../ground/model/object-ref.ts'
import { present } from '../../../ground/model/present.ts'
import type { SeenSlot } from '../../../ground/model/slot.ts'
import type { OthersSlot } from './snapshot.ts'

/** The holder of a slot, in words. */
export const ownerText = ({ owner, livesBy }: Pick<SeenSlot, 'owner' | 'livesBy'>): string =>
  livesBy === undefined ? `run ${owner.run}` : `the controller of Lease ${refKey(livesBy)}`

/** The slot as it counts for other owners. */
export const othersSlot = (slot: SeenSlot): OthersSlot => ({
  index: slot.index,
  ...present({ node: slot.owner.node }),
  owner: ownerText(slot),
})
