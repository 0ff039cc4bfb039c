import type { WallMs } from './time.ts'

/** `new`: a connection per request; `kept`: requests over connections that stay open. */
export type Lane = 'new' | 'kept'

/** Why a request failed, by the phase in which it failed. `stale`: a kept connection was closed after some bytes of an answer. */
export type FailureClass =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'noResponse'
  | 'reset'
  | 'stale'
  | 'body'
  | 'stalledBody'
  | 'status'
  | 'content'

export interface ProbeTarget {
  readonly name: string
  readonly url: string
  /** A control target is not behind the balancers: if it cannot be reached either, the cause is the prober. */
  readonly control: boolean
  readonly ratePerSecond: number
  /** The share of the requests that is sent over kept connections, 0 to 1. */
  readonly keptShare: number
  readonly keptConnections: number
  readonly timeoutMs: number
  /** Allowed statuses, and a text that the body must contain. */
  readonly expectStatus: readonly [low: number, high: number]
  readonly expectBody?: string
  /** Response header that says which server served the request. */
  readonly servedByHeader: string
  /** Do not check the server's certificate. */
  readonly insecure?: boolean
}

/**
 * One scheduled request. If it started over half a period late (and over 50 ms), it is `skipped`: never sent, neither a success
 * nor a failure. So is one whose answer could not be judged because the prober itself stood still.
 */
export interface Sample {
  readonly target: string
  readonly control: boolean
  readonly lane: Lane
  readonly scheduledAt: WallMs
  /** How late the prober began it; negative: a fraction of a millisecond early. */
  readonly startedLateMs: number
  readonly verdict: 'ok' | 'failed' | 'skipped'
  readonly failure?: FailureClass
  /** The first error, verbatim; foreign text, escaped where it is shown. */
  readonly error?: string
  /** From the scheduled time, so that a stall of server or prober is included. */
  readonly latencyMs: number
  readonly servedBy?: string
  /** Its kept connection was closed before the first byte of an answer: verdict and failure are those of its repeat. */
  readonly retried?: true
}

/** A maximal run of failed samples of one target and lane; its edges are known only as bounds. */
export interface FailureWindow {
  readonly target: string
  readonly control: boolean
  readonly lane: Lane
  /** Samples that were sent between the first and the last bad one, and how many of them failed. */
  readonly sent: number
  readonly failed: number
  /** Failed samples that a control target excuses. Absent: none. */
  readonly excused?: number
  /** Failed samples that a control may still excuse, and when the first of them had failed. Absent: none. */
  readonly undecided?: { readonly failed: number; readonly since: WallMs }
  readonly failures: Readonly<Partial<Record<FailureClass, number>>>
  readonly firstError: string
  /** Absent where no good sample was seen before. */
  readonly lastOkAt?: WallMs
  readonly firstBadAt: WallMs
  /** When the other side ended the first bad sample. Absent: it may have been given up, so that it is not known when it failed. */
  readonly firstFailedAt?: WallMs
  readonly lastBadAt: WallMs
  /** Absent while the window is open. */
  readonly firstOkAt?: WallMs
  /** Stands for several windows that were too many to keep: how long requests failed between its edges is not known. */
  readonly isMerged?: true
  readonly servedBefore?: string
  readonly servedAfter?: string
}

export interface LaneSummary {
  readonly target: string
  readonly control: boolean
  readonly lane: Lane
  readonly scheduled: number
  readonly sent: number
  readonly skipped: number
  readonly failed: number
  /** Requests that were sent a second time, and are judged by that. Absent: none. */
  readonly retried?: number
  readonly slow: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** How late the prober starts requests, as p99. */
  readonly startErrorP99Ms: number
}

/**
 * Good requests to a target by the second in which they were due, oldest first, and how many of them took longer than a limit.
 */
export interface SlowSeconds {
  readonly target: string
  readonly slowerThanMs: number
  readonly seconds: readonly { readonly at: WallMs; readonly good: number; readonly slow: number }[]
}

/** The status of a probe at one moment. */
export interface ProbeStatus {
  readonly startedAt: WallMs
  /** The newest sample with a verdict; a probe that is silent for long measures nothing. */
  readonly lastVerdictAt?: WallMs
  /** Every request of any lane that was due before this has its verdict. */
  readonly settledBefore?: WallMs
  readonly lanes: readonly LaneSummary[]
  readonly windows: readonly FailureWindow[]
  /** Spans in which nothing was measured (prober stalled, not yet started, died). */
  readonly notMeasured: readonly { readonly from: WallMs; readonly to: WallMs }[]
  /** Good requests without a failure in between, over all lanes but those of controls. */
  readonly greenStreak: number
  /** Controls that excuse nothing, since they were not green in the baseline. Absent: none, or there is no baseline yet. */
  readonly redControls?: readonly string[]
  /** In the order of the latency limits of the roll file; up to `settledBefore`. Absent: the file has none. */
  readonly slow?: readonly SlowSeconds[]
}
