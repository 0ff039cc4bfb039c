import { livePrinter, namedNews, plainPrinter, type WatchPrinter } from '../../cli/watch-printer.ts'
import { formatMinSec } from '../../ground/model/duration.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import { guardStateOf } from '../decide/from-status/guard-state.ts'
import { parseGuardStatus } from '../decide/from-status/parse-guard-status.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import { countsText, guardNodeLines, guardTable, nodeWhy } from './status-lines.ts'

/** One reading of what is watched. */
export interface GuardReading {
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
export const liveGuardPrinter = (parts: PrinterParts): WatchPrinter<GuardReading> =>
  livePrinter(parts, {
    frame: (reading, { now, forMs, size }) => {
      const most = Math.max(1, Math.min(NODES_MAX, size.rows - 6))
      const head: Line = [
        { text: reading.isOne ? `guard ${reading.guards[0]?.name ?? ''}` : 'guards', tone: 'name' },
        `    ${formatMinSec(forMs)}`,
      ]
      const doubt: readonly Line[] =
        reading.trouble === undefined ? [] : [[{ text: 'old news', tone: 'hold' }, `  ${reading.trouble}`]]
      return [head, ...doubt, ...body(reading, { now, most })]
    },
  })

function body(
  { guards, isOne, namespaced }: GuardReading,
  show: { readonly now: number; readonly most: number },
): readonly Line[] {
  const [one] = guards
  if (!isOne) return guardTable(guards, namespaced).slice(0, show.most + 1)
  if (one === undefined) return []
  const status = parseGuardStatus(one)
  return [[`  ${countsText(status)}`], [`  ${guardStateOf(one).why}`], ...guardNodeLines(status, show)]
}

/** A line for each change of a guard and of a node of it. */
export const plainGuardPrinter = (parts: PrinterParts): WatchPrinter<GuardReading> =>
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
function spoken({ guards, isOne, namespaced, trouble }: GuardReading): Map<string, string> {
  const of = (guard: CheckedGuard): readonly (readonly [string, string])[] => {
    const status = parseGuardStatus(guard)
    const name = namespaced ? `${guard.namespace}/${guard.name}` : guard.name
    return [
      [isOne ? '-' : name, `${guardStateOf(guard).code}: ${countsText(status)}`],
      ...status.nodes.map(
        (node) => [isOne ? node.name : `${name} ${node.name}`, `${node.state}: ${nodeWhy(node)}`] as const,
      ),
    ]
  }
  return new Map([
    ...(trouble === undefined ? [] : [[TROUBLE, `old news: ${trouble}`] as const]),
    ...guards.flatMap(of),
  ])
}
