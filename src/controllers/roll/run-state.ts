import type { Evidence } from '../../core/roll/evidence.ts'
import type { NodeRecord } from '../../model/node-record.ts'
import type { NodeStanding } from '../../model/roll-event.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { WallMs } from '../../model/time.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { LoadBefore } from './load-before.ts'

/** One roll as this process carries it: from the plan, or from the journal of a process that is no more. */
export interface RunState {
  readonly id: string
  readonly spec: RollSpec
  readonly order: readonly string[]
  readonly resumed: boolean
  done: readonly string[]
  /** Nodes that this process is through with, one way or the other. */
  settledHere: readonly string[]
  verdict: Verdict | undefined
  measuredSince: WallMs | undefined
  /** What an earlier process of this run began last and was not through with: it may be out. */
  readonly underWay?: string
  /** Node → pod uid → what earlier processes of this run evicted from it, so that none is evicted twice. */
  readonly evictedBefore: Readonly<Record<string, Evidence['evicted']>>
  /**
   * Who this process is in the Lease where it has not the run's own journal, only what the nodes bear: it may put them
   * back and nothing else. Absent: it is the run.
   */
  readonly restoresAs?: string
  /** Absent where no process of this run has begun anything. */
  readonly before?: LoadBefore
  /**
   * Node → its record, of nodes whose reboot an earlier process of this run sent and that the run is not through with. The
   * record goes with a Node that is deleted.
   */
  readonly recordsBefore?: Readonly<Record<string, NodeRecord>>
  /** As earlier processes of this run left their nodes. */
  readonly standingsBefore?: Readonly<Record<string, NodeStanding>>
}
