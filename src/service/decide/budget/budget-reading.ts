import type { OutLimit } from '../../../ground/model/out-limit.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { SeenSlot } from '../../../ground/model/slot.ts'
import type { CordonsThatCount } from './snapshot.ts'

/** The last reading of the node budget. */
export interface BudgetReading {
  /** How many nodes may be out, by the last budget object that made sense; one node if there is none. */
  readonly limit: OutLimit
  /** Why no node may be begun: the object makes no sense, or the budget could not be read. */
  readonly fault?: Reason
  readonly cordons: CordonsThatCount
  /** Nothing was read yet: `slots` is empty because they are not known. */
  readonly isUnread?: true
  /** All slots that are held, by index. */
  readonly slots: readonly SeenSlot[]
}
