import { livePrinter, namedNews, plainPrinter, type WatchPrinter } from '../../cli/watch-printer.ts'
import { formatMinSec } from '../../ground/model/duration.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import type { RolloutState } from '../decide/rollout/rollout-state.ts'
import type { RolloutReading } from '../run/commands/rollout-watch.ts'
import { countsText, nodeLines, shownNodes, whyOf } from './status-lines.ts'

/** One reading, with what it says. */
export interface Seen {
  readonly object: CheckedIngress
  readonly state: RolloutState
  readonly reading: RolloutReading
}

type PrinterParts = Parameters<typeof livePrinter>[0]

const NODES_MAX = 12

/** Draws in place; what it showed goes, and the end says how things stand. */
export const liveStatusPrinter = (parts: PrinterParts): WatchPrinter<Seen> =>
  livePrinter(parts, {
    frame: ({ object, state, reading }, { now, forMs, size }) => {
      const head: Line = [
        { text: `rollout ${object.name}`, tone: 'name' },
        `    ${countsText(object)}    ${formatMinSec(forMs)}`,
      ]
      const most = Math.max(1, Math.min(NODES_MAX, size.rows - 6))
      const nodes = nodeLines(shownNodes(state, reading), { now, most })
      return [head, ...doubtLines(reading), ...(nodes.length === 0 ? [[`  ${state.why}`]] : nodes)]
    },
  })

const doubtLines = ({ trouble, unled }: RolloutReading): readonly Line[] => [
  ...(trouble === undefined ? [] : [[{ text: 'old news', tone: 'hold' } as const, `  ${trouble}`]]),
  ...(unled === undefined ? [] : [[{ text: 'held', tone: 'hold' } as const, `  ${unled}`]]),
]

/** A line for each change of a node and of the counts. */
export const plainStatusPrinter = (parts: PrinterParts): WatchPrinter<Seen> =>
  plainPrinter(
    parts,
    namedNews(parts.clock, {
      said: linesOf,
      gone: (name) => (name.startsWith('-') ? undefined : 'InService'),
      unchanged: ({ object, state }) => `${countsText(object)}; ${state.why}`,
    }),
  )

function linesOf({ object, state, reading }: Seen): Map<string, string> {
  const { trouble, unled } = reading
  return new Map([
    ['-', countsText(object)],
    ...(trouble === undefined ? [] : [['- ', `old news: ${trouble}`] as const]),
    ...(unled === undefined ? [] : [['-  ', `held: ${unled.replace(/ for \d+ s,/, ',')}`] as const]),
    ...state.nodes.map((node) => [node.name, `${node.state}: ${whyOf(node)}`] as const),
  ])
}
