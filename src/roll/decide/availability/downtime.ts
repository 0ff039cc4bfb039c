import type { FailureWindow } from '../../../ground/model/probe.ts'
import { type WallMs, wallMs } from '../../../ground/model/time.ts'

export interface Span {
  readonly from: WallMs
  readonly to: WallMs
}

export interface Bounds {
  readonly lowMs: number
  readonly highMs: number
}

/** The spans in order, where those that overlap or touch are one. */
export function union(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of spans.filter((s) => s.to > s.from).sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || span.from > last.to) merged.push(span)
    else if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to }
  }
  return merged
}

export const lengthMs = (spans: readonly Span[]): number => spans.reduce((sum, span) => sum + span.to - span.from, 0)

/** How long a window lasted for sure. */
export const sureMs = ({
  firstBadAt,
  lastBadAt,
  isMerged,
}: Pick<FailureWindow, 'firstBadAt' | 'lastBadAt' | 'isMerged'>): number =>
  isMerged === true ? 0 : lastBadAt - firstBadAt

/**
 * How long at least one lane was failing. Low: from the first to the last bad sample, without time that was not measured. High:
 * from the last good sample before to the first good one after; where there was none, from the start or to the end of
 * measuring.
 */
export function downtime(
  windows: readonly FailureWindow[],
  measured: { readonly from: WallMs; readonly to: WallMs; readonly notMeasured: readonly Span[] },
): Bounds {
  const low = windows.map((w) => ({ from: w.firstBadAt, to: wallMs(w.firstBadAt + sureMs(w)) }))
  const high = windows.map((w) => ({ from: w.lastOkAt ?? measured.from, to: w.firstOkAt ?? measured.to }))
  const holes = measured.notMeasured
  const lowMs = lengthMs(union([...low, ...holes])) - lengthMs(union(holes))
  return { lowMs, highMs: lengthMs(union(high)) }
}
