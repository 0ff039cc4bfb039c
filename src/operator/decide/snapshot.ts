import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { RollJob } from '../model/roll-job.ts'
import type { RollObject } from '../model/roll-object.ts'
import type { PodEnd, SeenRun } from '../model/run-state.ts'

/** What is known of one Roll. */
export interface RollObjectSnapshot {
  readonly now: WallMs
  /** False while a watch is late or broken. */
  readonly isFresh: boolean
  readonly roll: RollObject
  /** What is wrong with its file; empty: nothing. */
  readonly faults: readonly string[]
  readonly hasFile: boolean
  /** Its file would be another one if it were made now. */
  readonly isEdited?: boolean
  /** In the order in which they were made. */
  readonly jobs: readonly RollJob[]
  /** Absent: it has no journal. */
  readonly run?: SeenRun
  /** Why its journal cannot be read; absent: it can. */
  readonly journalFault?: string
  /** Of the newest Job, where that failed; absent: not known. */
  readonly podEnd?: PodEnd
  /** Another Roll whose turn it is. */
  readonly goesFirst?: string
  readonly refusals: Refusals
}
