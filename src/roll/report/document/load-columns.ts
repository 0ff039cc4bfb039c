import type { LoadTick, StampedEvent } from '../../model/roll-event.ts'
import type { LatencyColumns } from './latency-columns.ts'

/** Totals over time, delta-coded: each value is the rise since the one before; times are in milliseconds. */
export interface LoadColumns {
  readonly startedAt: string
  readonly atMs: readonly number[]
  readonly sent: readonly number[]
  readonly failed: readonly number[]
  readonly skipped: readonly number[]
}

/** In this span, nothing was measured for `ms`. */
export interface GapDocument {
  readonly from: string
  readonly to: string
  readonly ms: number
}

interface StampedLoad {
  readonly at: string
  readonly load: LoadTick
}

/** All loads in a journal, in order. */
export const loadsOf = (events: readonly StampedEvent[]): readonly StampedLoad[] =>
  events.flatMap((event) => {
    if (event.type === 'load.tick') return [{ at: event.at, load: event.load }]
    return event.type === 'roll.ended' && event.load !== undefined ? [{ at: event.at, load: event.load }] : []
  })

export function loadColumns(loads: readonly StampedLoad[]): LoadColumns | null {
  const [first] = loads
  if (first === undefined) return null
  // The totals begin at 0 once the baseline is over; where it never was, its own totals are used.
  const isMeasured = loads.some(({ load }) => load.inBaseline !== true)
  const rises = (value: (of: StampedLoad) => number): readonly number[] => {
    const totals = loads.map((one) => (isMeasured && one.load.inBaseline === true ? 0 : value(one)))
    return totals.map((total, index) => total - (totals[index - 1] ?? 0))
  }
  const startedAt = Date.parse(first.at)
  return {
    startedAt: first.at,
    atMs: rises(({ at }) => Date.parse(at) - startedAt),
    sent: rises(({ load }) => load.sent),
    failed: rises(({ load }) => load.failed),
    skipped: rises(({ load }) => load.skipped),
  }
}

/** One value for each `everyMs`: the sum of the columns in it. */
export function thinnedColumns(columns: LoadColumns, everyMs: number): LoadColumns {
  let at = 0
  const slots = columns.atMs.map((ms) => {
    at += ms
    return Math.floor(at / everyMs)
  })
  const groups = [...Map.groupBy(slots.keys(), (index) => slots[index]).values()]
  const summed = (values: readonly number[]): readonly number[] =>
    groups.map((group) => group.reduce((sum, index) => sum + (values[index] ?? 0), 0))
  return {
    startedAt: columns.startedAt,
    atMs: summed(columns.atMs),
    sent: summed(columns.sent),
    failed: summed(columns.failed),
    skipped: summed(columns.skipped),
  }
}

/** Failures per `everyMs`, for a chart. A journal has a count every five seconds, and no latency. */
export function failuresOver({ startedAt, atMs, failed }: LoadColumns, everyMs: number): LatencyColumns {
  let at = 0
  const slots = atMs.map((ms) => {
    at += ms
    return Math.floor(at / everyMs)
  })
  const sums = new Array<number>((slots.at(-1) ?? 0) + 1).fill(0)
  slots.forEach((slot, index) => {
    sums[slot] = (sums[slot] ?? 0) + (failed[index] ?? 0)
  })
  const none = sums.map(() => null)
  return { startedAt, everyMs, failed: sums, p50Ms: none, p99Ms: none, maxMs: none }
}

/** The spans in which the total of time that was not measured rose. */
export function gapsOf(loads: readonly StampedLoad[]): readonly GapDocument[] {
  return loads.flatMap(({ at, load }, index) => {
    const before = loads[index - 1]
    const ms = (load.notMeasuredMs ?? 0) - (before?.load.notMeasuredMs ?? 0)
    if (ms <= 0) return []
    return [{ from: before?.at ?? new Date(Date.parse(at) - ms).toISOString(), to: at, ms: Math.round(ms) }]
  })
}
