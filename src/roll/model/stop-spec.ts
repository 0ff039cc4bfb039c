/** What a roll allows before its probes stop it. Absent in a roll file: the first failed request stops. */
export interface StopSpec {
  /** Absent: no failed request is allowed, except for targets that have an error budget. */
  readonly failedRequests?: FailedRequestsLimit
  readonly latency: readonly LatencyLimit[]
  readonly downtime: readonly DowntimeLimit[]
}

/** How many may fail, in all and for each node that is blamed; the next failure stops the roll. */
export interface FailedRequestsLimit {
  readonly inAll: number
  readonly perNode: number
}

/** The roll stops when more than this share of the requests to a target took longer than a limit, over a span. */
export interface LatencyLimit {
  readonly target: string
  readonly slowerThanMs: number
  /** 0 to 1. */
  readonly share: number
  /** Whole seconds. */
  readonly overMs: number
}

/** The roll stops when a target was down for longer than this, in all. */
interface DowntimeLimit {
  readonly target: string
  readonly downtimeMs: number
}
