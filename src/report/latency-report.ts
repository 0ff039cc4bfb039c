import type { Lane } from '../model/probe.ts'

/** Latency of good requests from their scheduled time; failures are counted beside, never mixed in. */
export interface LatencyPhase {
  readonly lane: Lane
  readonly phase: 'before' | 'during' | 'after'
  readonly samples: number
  readonly failed: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** One value for each `everyMs` from `startedAt` on; null where nothing was measured. Latencies are not delta-coded. */
export interface LatencyColumns {
  readonly startedAt: string
  readonly everyMs: number
  readonly p99Ms: readonly (number | null)[]
  readonly maxMs: readonly (number | null)[]
}

export interface LatencyReport {
  readonly phases: readonly LatencyPhase[]
  readonly columns?: LatencyColumns
}

/** The same with steps of at least `everyMs`: of each the worst, so that no peak goes. */
export function thinnedLatency(columns: LatencyColumns, everyMs: number): LatencyColumns {
  const size = Math.max(1, Math.round(everyMs / columns.everyMs))
  const worst = (values: readonly (number | null)[]): readonly (number | null)[] =>
    Array.from({ length: Math.ceil(values.length / size) }, (_, index) => {
      const known = values.slice(index * size, (index + 1) * size).filter((value) => value !== null)
      return known.length === 0 ? null : Math.max(...known)
    })
  return {
    startedAt: columns.startedAt,
    everyMs: columns.everyMs * size,
    p99Ms: worst(columns.p99Ms),
    maxMs: worst(columns.maxMs),
  }
}
