/** What a roll allows before its probes stop it. Absent in a roll file: the first failed request stops. */
export interface StopSpec {
  /** Absent: none is allowed, but to targets that have an error budget. */
  readonly failedRequests?: FailedRequestsLimit
  readonly latency: readonly LatencyLimit[]
  readonly downtime: readonly DowntimeLimit[]
}

/** So many may fail, in all and for each node that is blamed; the next one stops the roll. */
export interface FailedRequestsLimit {
  readonly inAll: number
  readonly perNode: number
}

/** More than this share of the requests to a target that took longer than a limit, over a span, stops the roll. */
export interface LatencyLimit {
  readonly target: string
  readonly slowerThanMs: number
  /** 0 to 1. */
  readonly share: number
  /** Whole seconds. */
  readonly overMs: number
}

/** More downtime of a target than this, in all, stops the roll. */
interface DowntimeLimit {
  readonly target: string
  readonly downtimeMs: number
}
