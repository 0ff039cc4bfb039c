import type { OutLimit } from '../../../ground/model/out-limit.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { SeenSlot } from '../../../ground/model/slot.ts'
import type { CordonsThatCount } from './snapshot.ts'

/** The node budget as it was read last. */
export interface BudgetReading {
  /** How many nodes may be out: as the budget object says, or as it said when it last made sense; one where there is none. */
  readonly limit: OutLimit
  /** Why nothing may be begun: the object makes no sense, or the budget could not be read. */
  readonly fault?: Reason
  readonly cordons: CordonsThatCount
  /** Nothing was ever read: `slots` is empty because they are not known. */
  readonly isUnread?: true
  /** All slots that are held, by index. */
  readonly slots: readonly SeenSlot[]
}
