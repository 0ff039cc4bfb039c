import type { Flags } from './flags.ts'
import { clip, lengthMs, type Span, uncovered, union } from './spans.ts'

/** What one node cost, in milliseconds, all seen from outside. Parts overlap; they are subtracted as one. */
export interface NodeCost {
  readonly node: string
  readonly tookMs: number
  readonly parts: Readonly<
    Record<'idle' | 'terminating' | 'replacing' | 'boot' | 'readiness' | 'heartbeat' | 'rise' | 'soak', number>
  >
  /** Left after all parts but the heartbeat were subtracted, and after the heartbeat was as well. */
  readonly overheadMs: number
  readonly overheadBesideHeartbeatMs: number
  readonly goalMs: number
  readonly longestGaps: readonly {
    readonly afterMs: number
    readonly tookMs: number
    readonly around: readonly string[]
  }[]
}

const GOAL_MS = 2_000
const GOAL_SHARE = 0.05
const GAPS_SHOWN = 4

/** The time between two nodes is the later one's. The first begins with its first mark, or the slot that was taken for it. */
export function nodeCosts(flags: Flags, nodes: readonly string[], soakMs: number): readonly NodeCost[] {
  const marked = nodes
    .flatMap((node) => {
      const marks = union(flags.spans(`mark/${node}`))
      const [first, last] = [marks[0], marks.at(-1)]
      return first === undefined || last === undefined ? [] : [{ node, from: first.from, to: last.to }]
    })
    .toSorted((a, b) => a.from - b.from)
  const slot = flags.spans('slot').toSorted((a, b) => a.from - b.from)[0]?.from ?? Number.POSITIVE_INFINITY
  return marked.map(({ node, from, to }, i) => {
    const before = marked[i - 1]
    return nodeCost(flags, {
      node,
      soakMs,
      span: { from: before === undefined ? Math.min(from, slot) : before.to, to },
    })
  })
}

function nodeCost(
  flags: Flags,
  { node, soakMs, span }: { readonly node: string; readonly soakMs: number; readonly span: Span },
): NodeCost {
  const back = union([...flags.spans(`mark/${node}/web`), ...flags.spans(`mark/${node}/edge`)]).at(-1)?.to ?? span.to
  const seen = {
    idle: flags.spans(`idle/${node}`),
    terminating: flags.spans(`terminating/${node}`),
    replacing: flags.spans('short'),
    boot: flags.spans(`boot/${node}`),
    readiness: flags.spans(`return/${node}`),
    rise: flags.spans(`rise/${node}`),
    soak: [{ from: back, to: back + soakMs }],
  }
  const heartbeat = flags.spans(`heartbeat/${node}`)
  const known = Object.values(seen).flat()
  const length = (spans: readonly Span[]): number => Math.round(lengthMs(clip(spans, span)))
  const gaps = uncovered([...known, ...heartbeat], span).toSorted((a, b) => b.to - b.from - (a.to - a.from))
  const left = (spans: readonly Span[]): number => Math.round(lengthMs(uncovered(spans, span)))
  return {
    node,
    tookMs: Math.round(span.to - span.from),
    parts: {
      idle: length(seen.idle),
      terminating: length(seen.terminating),
      replacing: length(seen.replacing),
      boot: length(seen.boot),
      readiness: length(seen.readiness),
      heartbeat: length(heartbeat),
      rise: length(seen.rise),
      soak: length(seen.soak),
    },
    overheadMs: left(known),
    overheadBesideHeartbeatMs: left([...known, ...heartbeat]),
    goalMs: Math.max(GOAL_MS, Math.round(GOAL_SHARE * (span.to - span.from))),
    longestGaps: gaps.slice(0, GAPS_SHOWN).map(({ from, to }) => ({
      afterMs: Math.round(from - span.from),
      tookMs: Math.round(to - from),
      around: [...flags.near(from, 1), ...flags.near(to, 1)],
    })),
  }
}
