import type { LatencySecond } from '../../model/latency-second.ts'

/**
 * One value for each `everyMs` from `startedAt` on. Latencies are those of good requests, from the time at which each was due;
 * null: none was measured. Failed requests are counted separately.
 */
export interface LatencyColumns {
  readonly startedAt: string
  readonly everyMs: number
  readonly failed: readonly number[]
  readonly p50Ms: readonly (number | null)[]
  readonly p99Ms: readonly (number | null)[]
  readonly maxMs: readonly (number | null)[]
}

const SECOND_MS = 1_000
/** Two hours of seconds. A longer roll has longer columns, so that the page stays small. */
const COLUMNS_MAX = 7_200
const LENGTHS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000]

/** Null where no latency was stored. Where two processes of a run measured parts of the same second, the worse value counts. */
export function latencyColumns(seconds: readonly LatencySecond[]): LatencyColumns | null {
  const starts = seconds.map(({ at }) => Math.floor(Date.parse(at) / SECOND_MS))
  const first = starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY)
  const last = starts.reduce((most, start) => Math.max(most, start), Number.NEGATIVE_INFINITY)
  const size = last - first + 1
  if (seconds.length === 0) return null
  const everyMs = LENGTHS_MS.find((ms) => (size * SECOND_MS) / ms <= COLUMNS_MAX) ?? 3_600_000
  return grouped({ seconds, startMs: first * SECOND_MS, endMs: (last + 1) * SECOND_MS }, everyMs)
}

interface Rows {
  readonly seconds: readonly Pick<LatencySecond, 'at' | 'failed' | 'p50Ms' | 'p99Ms' | 'maxMs'>[]
  readonly startMs: number
  readonly endMs: number
}

function grouped({ seconds, startMs, endMs }: Rows, everyMs: number): LatencyColumns {
  const groups = Map.groupBy(seconds, ({ at }) => Math.floor((Date.parse(at) - startMs) / everyMs))
  const columns = Array.from({ length: Math.ceil((endMs - startMs) / everyMs) }, (_, index) => groups.get(index) ?? [])
  const worst = (name: 'p50Ms' | 'p99Ms' | 'maxMs'): readonly (number | null)[] =>
    columns.map((group) => {
      const known = group.map((second) => second[name]).filter((ms) => ms !== null)
      return known.length === 0 ? null : short(Math.max(...known))
    })
  return {
    startedAt: new Date(startMs).toISOString(),
    everyMs,
    failed: columns.map((group) => group.reduce((sum, { failed }) => sum + failed, 0)),
    p50Ms: worst('p50Ms'),
    p99Ms: worst('p99Ms'),
    maxMs: worst('maxMs'),
  }
}

/** Two or three digits are as precise as the histogram. */
const short = (ms: number): number => Number(ms.toPrecision(ms >= 100 ? 3 : 2))

/** The same with columns of at least `everyMs`: each has the worst value, so that no peak is lost. */
export function thinnedLatency(columns: LatencyColumns, everyMs: number): LatencyColumns {
  const startMs = Date.parse(columns.startedAt)
  const seconds = columns.failed.map((failed, index) => ({
    at: new Date(startMs + index * columns.everyMs).toISOString(),
    failed,
    p50Ms: columns.p50Ms[index] ?? null,
    p99Ms: columns.p99Ms[index] ?? null,
    maxMs: columns.maxMs[index] ?? null,
  }))
  const endMs = startMs + columns.failed.length * columns.everyMs
  return grouped({ seconds, startMs, endMs }, Math.max(everyMs, columns.everyMs))
}
