import type { LatencyColumns } from './latency-columns.ts'

/** Latency in a span of time. Quantiles of columns cannot be joined, so p99 is that of the worst column. */
interface LatencyOver {
  /** The median of all columns. */
  readonly p50Ms: number | null
  readonly worstP99Ms: number | null
  readonly maxMs: number | null
  readonly failed: number
}

export function latencyOver(columns: LatencyColumns, fromMs: number, toMs: number): LatencyOver {
  const startMs = Date.parse(columns.startedAt)
  const isIn = (index: number): boolean => {
    const middle = startMs + (index + 0.5) * columns.everyMs
    return middle >= fromMs && middle < toMs
  }
  const known = (name: 'p50Ms' | 'p99Ms' | 'maxMs'): readonly number[] =>
    columns[name].flatMap((ms, index) => (ms === null || !isIn(index) ? [] : [ms]))
  const medians = known('p50Ms').toSorted((a, b) => a - b)
  const most = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values))
  return {
    p50Ms: medians[Math.floor(medians.length / 2)] ?? null,
    worstP99Ms: most(known('p99Ms')),
    maxMs: most(known('maxMs')),
    failed: columns.failed.reduce((sum, failed, index) => sum + (isIn(index) ? failed : 0), 0),
  }
}
