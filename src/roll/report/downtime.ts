import type { WindowDocument } from './view/outcome-document.ts'

type Edges = Pick<WindowDocument, 'lastOkAt' | 'firstBadAt' | 'lowMs' | 'firstOkAt'>

/** How long the service was down in all; lanes that failed together count once. Null where an edge was not seen. */
export function downtimeOf(windows: readonly Edges[]): { readonly lowMs: number; readonly highMs: number | null } {
  const sure = windows.map(({ firstBadAt, lowMs }): Span => [Date.parse(firstBadAt), Date.parse(firstBadAt) + lowMs])
  const most = windows.flatMap(({ lastOkAt, firstOkAt }): readonly Span[] =>
    lastOkAt === null || firstOkAt === null ? [] : [[Date.parse(lastOkAt), Date.parse(firstOkAt)]],
  )
  return { lowMs: covered(sure), highMs: most.length < windows.length ? null : covered(most) }
}

type Span = readonly [from: number, to: number]

function covered(spans: readonly Span[]): number {
  let total = 0
  let until = Number.NEGATIVE_INFINITY
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    total += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return total
}
