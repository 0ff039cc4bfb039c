import type { BrakeStatus } from '../../src/agent/run/brake/brake.ts'
import type { DnsLoopStatus } from '../../src/dns/run/dns-loop.ts'
import type { LeaderStatus } from '../../src/ground/loop/leader.ts'
import type { LoopStatus } from '../../src/ground/loop/reconciler.ts'

/** The present status of a controller's process. */
export interface ControllerStatus {
  readonly identity: string
  readonly leader: LeaderStatus
  readonly brake: BrakeStatus
  /** Absent: the DNS of the cluster is not checked. */
  readonly dns?: DnsLoopStatus
  /** Absent: IngressDaemonSets are left alone. */
  readonly ingress?: LoopStatus
  /** Absent: NodeGuards are left alone. */
  readonly guard?: LoopStatus
  /** Absent: Rolls are left alone. */
  readonly rolls?: LoopStatus
  readonly schedules?: LoopStatus
}
