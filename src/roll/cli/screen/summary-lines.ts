import { formatDuration, formatMinSec } from '../../../ground/model/duration.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { type Block, type BlockRow, blockLines, blockRows } from '../../../ground/text/labelled-block.ts'
import { type Column, tableLines } from '../../../ground/text/table-lines.ts'
import type { Line } from '../../../ground/text/terminal/style.ts'
import { fewerThan } from '../../decide/availability/confidence.ts'
import { CAUGHT_UP_MS } from '../../decide/availability/schedule.ts'
import { nodeTimes } from '../../report/view/node-times.ts'
import { outageViews } from '../../report/view/outage-view.ts'
import { isOften, movesOf, movesText } from '../../report/view/pod-moves.ts'
import type { NodeView, RollView } from '../../report/view/roll-view.ts'
import { allowedText, stopRows } from '../../report/view/stop-text.ts'
import { causeText, outageClassText, outageSpanText } from '../../report/view/window-text.ts'
import { endBlock, journalRows } from './end-block.ts'
import { besideTexts, gapText, loadText } from './node-text.ts'

const COLUMNS: readonly Column[] = [
  { title: 'node', align: 'left' },
  ...['total', 'leave', 'drain', 'away', 'return', 'held', 'moved', 'failed'].map(
    (title): Column => ({ title, align: 'right' }),
  ),
]
const BLOCK_CELLS = 80
const SHOWN_MAX = 5

/** The result of a roll for people: first the verdict, then the nodes, then what the measurement can and cannot show. */
export function summaryLines(view: RollView, columns = BLOCK_CELLS): readonly Line[] {
  const cells = Math.min(columns, BLOCK_CELLS)
  const stopped = endBlock(view)
  if (stopped !== undefined) return blockLines(stopped, cells)
  return [...blockLines(doneBlock(view), cells), ...nodeTable(view), ...blockRows(limitRows(view), cells)]
}

/** One row per node that was begun. */
export function nodeTable(view: RollView): readonly Line[] {
  const rows = view.nodes.flatMap((node) => nodeRow(node, view.lastAt))
  return rows.length === 0 ? [] : tableLines(COLUMNS, rows).map((text): Line => [text])
}

function nodeRow(node: NodeView, until: number): readonly (readonly string[])[] {
  const times = nodeTimes(node, until)
  if (times === undefined) return []
  const { totalMs, leaveMs, drainMs, awayMs, returnMs, heldMs } = times
  const moved = node.standing?.podsMoved ?? node.podsMoved
  const spans = [totalMs, leaveMs, drainMs, awayMs, returnMs].map((ms) => formatMinSec(ms))
  const failed = node.standing === undefined ? '?' : countText(node.standing.failedRequests)
  return [[node.name, ...spans, heldMs === 0 ? '-' : formatMinSec(heldMs), countText(moved), failed]]
}

function doneBlock(view: RollView): Block {
  if (view.nodes.length === 0 && view.skipped !== undefined) {
    const title = `no node needs a reboot; ${countText(view.skipped.length)} skipped, nothing was changed`
    return { word: 'DONE', title, rows: [] }
  }
  const done = (view.end?.standings ?? []).filter(({ state }) => state === 'inService').length
  const took = view.startedAt === undefined ? '' : ` in ${formatDuration(view.lastAt - view.startedAt)}`
  const load =
    view.load === undefined
      ? 'not measured'
      : [
          `${loadText(view)} requests`,
          allowedText(view.load.stop),
          ...besideTexts(view),
          countOf(view.load.strays, 'stray'),
        ]
          .filter((text) => text !== undefined)
          .join(', ')
  return { word: 'DONE', title: `${done} of ${countOf(view.nodes.length, 'node')}${took}; ${load}`, rows: [] }
}

function limitRows(view: RollView): readonly BlockRow[] {
  const { load, windows } = view
  const outages = outageViews(windows).map(
    (view) => `${outageSpanText(view)}, ${outageClassText(view)}; ${causeText(view)}`,
  )
  const more = outages.length - SHOWN_MAX
  const seen = [...outages.slice(0, SHOWN_MAX), ...(more > 0 ? [`and ${more} more windows`] : [])]
  const moved = movesOf(view).some(isOften) ? movesText(view) : undefined
  return [
    ...(moved === undefined ? [] : [{ label: 'moved', texts: [moved] }]),
    { label: 'what', texts: seen },
    ...journalRows(view),
    ...stopRows(view),
    ...(load === undefined ? [] : [{ label: 'limits', texts: [limitsText(load, gapText(view))] }]),
  ]
}

function limitsText(load: NonNullable<RollView['load']>, gap: string | undefined): string {
  const judged = load.sent - (load.excused ?? 0)
  const share =
    load.failed === 0 && judged > 0 ? [`with 95 % confidence, fewer than ${fewerThan(judged)} of requests fail`] : []
  const period =
    load.ratePerSecond > 0
      ? [`an outage under ${formatDuration(Math.max(1000 / load.ratePerSecond, CAUGHT_UP_MS))} can be missed`]
      : []
  return [...share, ...period, `${countOf(load.skipped, 'sample')} skipped`, ...(gap === undefined ? [] : [gap])].join(
    '; ',
  )
}
