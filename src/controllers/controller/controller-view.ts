import type { LeaderView } from '../../runtime/leader.ts'
import type { LoopView } from '../../runtime/reconciler.ts'
import type { BrakeView } from '../brake/brake.ts'
import type { DnsLoopView } from '../dns/dns-loop.ts'

/** What there is to tell of a controller's process, as of now. */
export interface ControllerView {
  readonly identity: string
  readonly leader: LeaderView
  readonly brake: BrakeView
  /** Absent: the DNS of the cluster is not looked at. */
  readonly dns?: DnsLoopView
  /** Absent: IngressDaemonSets are not acted on. */
  readonly ingress?: LoopView
}
