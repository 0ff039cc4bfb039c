import type { BrakeStatus } from '../../src/agent/run/brake/brake.ts'
import type { DnsLoopStatus } from '../../src/dns/run/dns-loop.ts'
import type { LeaderStatus } from '../../src/ground/loop/leader.ts'
import type { LoopStatus } from '../../src/ground/loop/reconciler.ts'

/** What there is to tell of a controller's process, as of now. */
export interface ControllerStatus {
  readonly identity: string
  readonly leader: LeaderStatus
  readonly brake: BrakeStatus
  /** Absent: the DNS of the cluster is not looked at. */
  readonly dns?: DnsLoopStatus
  /** Absent: IngressDaemonSets are not acted on. */
  readonly ingress?: LoopStatus
  /** Absent: NodeGuards are not acted on. */
  readonly guard?: LoopStatus
}
