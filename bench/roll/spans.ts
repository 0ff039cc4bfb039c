/** A stretch of time, in milliseconds of the bench's own monotonic clock. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The same time without overlaps, in order. */
export function union(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of spans.filter(({ from, to }) => to > from).toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && span.from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else merged.push(span)
  }
  return merged
}

export const clip = (spans: readonly Span[], within: Span): readonly Span[] =>
  union(spans.map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) })))

export const lengthMs = (spans: readonly Span[]): number =>
  union(spans).reduce((sum, { from, to }) => sum + to - from, 0)

/** What of `within` none of the spans covers. */
export function uncovered(spans: readonly Span[], within: Span): readonly Span[] {
  const gaps: Span[] = []
  let at = within.from
  for (const { from, to } of clip(spans, within)) {
    if (from > at) gaps.push({ from: at, to: from })
    at = to
  }
  return at < within.to ? [...gaps, { from: at, to: within.to }] : gaps
}
