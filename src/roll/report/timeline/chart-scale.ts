import { type LatencyColumns, thinnedLatency } from '../document/latency-columns.ts'
import type { TimeScale } from './time-scale.ts'

/** The vertical axes of the charts: logarithmic for latency, linear for failures. Two compared runs share them. */
export interface ChartScale {
  /** Powers of ten, in milliseconds: the axis goes from 10^low to 10^high. */
  readonly lowDecade: number
  readonly highDecade: number
  /** The highest number of failures in one column. */
  readonly failedMax: number
  /** Length of a column. */
  readonly everyMs: number
}

/** With more columns than these, each would be less than one pixel. */
const COLUMNS_MAX = 1_000
const SECOND_MS = 1_000
const LEAST_MS = 0.01

export function chartScale(runs: readonly LatencyColumns[], { fromMs, toMs }: TimeScale): ChartScale {
  const fittingMs = Math.ceil((toMs - fromMs) / COLUMNS_MAX / SECOND_MS) * SECOND_MS
  const everyMs = runs.reduce((most, run) => Math.max(most, run.everyMs), fittingMs)
  const columns = runs.map((run) => thinnedLatency(run, everyMs))
  const least = columns.flatMap(({ p50Ms }) => p50Ms).filter((ms) => ms !== null)
  const most = columns.flatMap(({ maxMs }) => maxMs).filter((ms) => ms !== null)
  const failedMax = columns.flatMap(({ failed }) => failed).reduce((a, b) => Math.max(a, b), 1)
  if (least.length === 0) return { lowDecade: 0, highDecade: 1, failedMax, everyMs }
  const decade = (ms: number): number => Math.log10(Math.max(ms, LEAST_MS))
  const lowDecade = Math.floor(decade(Math.min(...least)))
  const highDecade = Math.max(lowDecade + 1, Math.ceil(decade(Math.max(...most))))
  return { lowDecade, highDecade, failedMax, everyMs }
}

/** 0 at the bottom, 1 at the top. */
export function latencyShare({ lowDecade, highDecade }: ChartScale, ms: number): number {
  const share = (Math.log10(Math.max(ms, LEAST_MS)) - lowDecade) / (highDecade - lowDecade)
  return Math.min(1, Math.max(0, share))
}
