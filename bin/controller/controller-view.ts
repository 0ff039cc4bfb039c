import type { BrakeView } from '../../src/agent/run/brake/brake.ts'
import type { DnsLoopStatus } from '../../src/dns/run/dns-loop.ts'
import type { LeaderView } from '../../src/ground/loop/leader.ts'
import type { LoopView } from '../../src/ground/loop/reconciler.ts'

/** What there is to tell of a controller's process, as of now. */
export interface ControllerView {
  readonly identity: string
  readonly leader: LeaderView
  readonly brake: BrakeView
  /** Absent: the DNS of the cluster is not looked at. */
  readonly dns?: DnsLoopStatus
  /** Absent: IngressDaemonSets are not acted on. */
  readonly ingress?: LoopView
  /** Absent: NodeGuards are not acted on. */
  readonly guard?: LoopView
}
