import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { RecurringTime, TimeSpan, TimeWindowSpec } from '../model/time-window.ts'
import type { TimeWindows } from '../ports/time-windows.ts'
import { cronTimes } from './cron-times.ts'

const DAY_MS = 24 * 3_600_000
/** Later times are computed only where earlier ones are not enough. The last horizon includes a 29 February, also around 2100. */
const HORIZONS_MS = [8 * DAY_MS, 70 * DAY_MS, 800 * DAY_MS, 9 * 366 * DAY_MS]
/** The limit for one expression: one that opens every few minutes is not followed for years. */
const TIMES_MAX = 700

/** How many windows are looked at: the next ones, and as many of each expression that these do not show. */
const LOOKED_AT = 12

/** The field `window` of a roll file, as spans of time. Pure: the times depend on the arguments alone. */
export const timeWindowsOf = (spec: Pick<TimeWindowSpec, 'open' | 'not'>): TimeWindows => ({
  spansFrom: (at, count) => spansFrom(spec, at, count),
  longestMs(at) {
    const next = spansFrom(spec, at, LOOKED_AT)
    const knownUntil = next.at(-1)?.to ?? at
    const isSeldom = ({ cron, zone }: RecurringTime): boolean =>
      (cronTimes(cron, zone, at).drop(2).next().value ?? Number.POSITIVE_INFINITY) > knownUntil
    const later = spec.open
      .filter(isSeldom)
      .flatMap(({ cron, zone }) => cronTimes(cron, zone, at).take(LOOKED_AT).toArray())
      .flatMap((from) => spansFrom(spec, wallMs(from), 1))
    return Math.max(0, ...[...next, ...later].map(({ from, to }) => to - from))
  },
})

function spansFrom(spec: Pick<TimeWindowSpec, 'open' | 'not'>, at: WallMs, count: number): readonly TimeSpan[] {
  let found: readonly TimeSpan[] = []
  for (const horizonMs of HORIZONS_MS) {
    const { spans, until } = spansUntil(spec, at, wallMs(at + horizonMs))
    found = spans.slice(0, count)
    // A span that ends at the horizon may go on after it.
    const isWhole = found.length === count && found.every(({ to }) => to < until)
    if (isWhole || until < at + horizonMs) return found
  }
  return found
}

interface KnownSpans {
  readonly spans: readonly TimeSpan[]
  /** Spans after this moment are not known. */
  readonly until: WallMs
}

function spansUntil({ open, not }: Pick<TimeWindowSpec, 'open' | 'not'>, at: WallMs, horizon: WallMs): KnownSpans {
  const opened = open.map((time) => timesUntil(time, at, horizon))
  const frozen = not.map((time) => timesUntil(time, at, horizon))
  const until = wallMs(Math.min(horizon, ...[...opened, ...frozen].map((known) => known.until)))
  const all = merged(opened.flatMap(({ spans }) => spans))
  const closed = merged(frozen.flatMap(({ spans }) => spans))
  return { spans: all.flatMap((span) => without(span, closed)).filter(({ to }) => to > at), until }
}

function timesUntil({ cron, durationMs, zone }: RecurringTime, at: WallMs, horizon: WallMs): KnownSpans {
  const spans: TimeSpan[] = []
  // One second more, because croner works with whole seconds.
  for (const from of cronTimes(cron, zone, at - durationMs - 1000)) {
    if (from > horizon) return { spans, until: horizon }
    if (spans.length >= TIMES_MAX) return { spans, until: wallMs(from) }
    spans.push({ from: wallMs(from), to: wallMs(from + durationMs) })
  }
  return { spans, until: horizon }
}

/** Windows that overlap or touch are one. */
function merged(spans: readonly TimeSpan[]): readonly TimeSpan[] {
  const all: TimeSpan[] = []
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1)
    if (last === undefined || span.from > last.to) all.push(span)
    else if (span.to > last.to) all[all.length - 1] = { from: last.from, to: span.to }
  }
  return all
}

/** The parts of a span outside of other spans, which are in order and do not overlap. */
function without(span: TimeSpan, others: readonly TimeSpan[]): readonly TimeSpan[] {
  const left: TimeSpan[] = []
  let { from } = span
  for (const other of others) {
    if (other.to <= from || other.from >= span.to) continue
    if (other.from > from) left.push({ from, to: other.from })
    from = other.to
  }
  return from < span.to ? [...left, { from, to: span.to }] : left
}
