/**
 * The requests that were due within one second: how many had a good answer, how many failed, and the latency of the good ones
 * from the time at which each was due. Null: none was good.
 */
export interface LatencySecond {
  /** The beginning of the second, ISO 8601 UTC. */
  readonly at: string
  readonly good: number
  readonly failed: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}
