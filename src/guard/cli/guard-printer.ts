import { livePrinter, namedNews, plainPrinter, type WatchPrinter } from '../../cli/watch-printer.ts'
import { formatMinSec } from '../../ground/model/duration.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import { guardStanding } from '../decide/told/guard-standing.ts'
import { toldGuard } from '../decide/told/told-guard.ts'
import { countsText, guardNodeLines, guardTable, nodeWhy } from './status-lines.ts'

/** One reading of what is watched. */
export interface GuardSight {
  readonly guards: readonly CheckedGuard[]
  /** One guard by its name, and not a list of them. */
  readonly isOne: boolean
  /** Of all namespaces. */
  readonly namespaced: boolean
  /** Why this may be old news; in words. */
  readonly trouble?: string
}

type PrinterParts = Parameters<typeof livePrinter>[0]

const NODES_MAX = 12

/** Draws in place; what it showed goes, and the end says how things stand. */
export const liveGuardPrinter = (parts: PrinterParts): WatchPrinter<GuardSight> =>
  livePrinter(parts, {
    frame: (sight, { now, forMs, size }) => {
      const most = Math.max(1, Math.min(NODES_MAX, size.rows - 6))
      const head: Line = [
        { text: sight.isOne ? `guard ${sight.guards[0]?.name ?? ''}` : 'guards', tone: 'name' },
        `    ${formatMinSec(forMs)}`,
      ]
      const doubt: readonly Line[] =
        sight.trouble === undefined ? [] : [[{ text: 'old news', tone: 'hold' }, `  ${sight.trouble}`]]
      return [head, ...doubt, ...body(sight, { now, most })]
    },
  })

function body(
  { guards, isOne, namespaced }: GuardSight,
  show: { readonly now: number; readonly most: number },
): readonly Line[] {
  const [one] = guards
  if (!isOne) return guardTable(guards, namespaced).slice(0, show.most + 1)
  if (one === undefined) return []
  const told = toldGuard(one)
  return [[`  ${countsText(told)}`], [`  ${guardStanding(one).why}`], ...guardNodeLines(told, show)]
}

/** A line for each change of a guard and of a node of it. */
export const plainGuardPrinter = (parts: PrinterParts): WatchPrinter<GuardSight> =>
  plainPrinter(
    parts,
    namedNews(parts.clock, {
      said: spoken,
      gone: (name) => (name === TROUBLE ? 'the news is fresh again' : 'Armed, or gone'),
      unchanged: ({ guards }) => `no change of ${guards.length} guards`,
    }),
  )

const TROUBLE = '- '

/** What is said of each guard and of each node that is not Armed. */
function spoken({ guards, isOne, namespaced, trouble }: GuardSight): Map<string, string> {
  const of = (guard: CheckedGuard): readonly (readonly [string, string])[] => {
    const told = toldGuard(guard)
    const name = namespaced ? `${guard.namespace}/${guard.name}` : guard.name
    return [
      [isOne ? '-' : name, `${guardStanding(guard).code}: ${countsText(told)}`],
      ...told.nodes.map(
        (node) => [isOne ? node.name : `${name} ${node.name}`, `${node.state}: ${nodeWhy(node)}`] as const,
      ),
    ]
  }
  return new Map([
    ...(trouble === undefined ? [] : [[TROUBLE, `old news: ${trouble}`] as const]),
    ...guards.flatMap(of),
  ])
}
