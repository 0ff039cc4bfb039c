/** How often a kubelet says that it lives, and how it ends. */
export interface KubeletSettings {
  readonly leaseDurationSeconds: number
  /** A quarter of the duration (KEP-0009). */
  readonly leaseRenewMs: number
  /** How often it compares its Node with what it knows: `nodeStatusUpdateFrequency`. */
  readonly statusCheckMs: number
  /** How often it writes a Node that has not changed: `nodeStatusReportFrequency`. */
  readonly statusReportMs: number
  /** How long it holds up a shutdown so that its pods can end: `shutdownGracePeriod`. Absent: it does not (the default). */
  readonly shutdownGraceMs?: number
}

/** KubeletConfiguration v1beta1, its defaults. */
export const DEFAULT_KUBELET: KubeletSettings = {
  leaseDurationSeconds: 40,
  leaseRenewMs: 10_000,
  statusCheckMs: 10_000,
  statusReportMs: 300_000,
}

/** For clusters that are to notice within seconds, as test clusters are. */
export const FAST_KUBELET: KubeletSettings = {
  leaseDurationSeconds: 4,
  leaseRenewMs: 1_000,
  statusCheckMs: 2_000,
  statusReportMs: 2_000,
}
