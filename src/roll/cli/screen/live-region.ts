import { formatDuration } from '../../../ground/model/duration.ts'
import { cellWidth } from '../../../ground/text/cell-width.ts'
import { countText } from '../../../ground/text/count-text.ts'
import type { Line } from '../../../ground/text/terminal/style.ts'
import { currentHold, currentStep, type NodeView, type RollView } from '../../report/view/roll-view.ts'
import { allowedText } from '../../report/view/stop-text.ts'
import { remainingMs } from './estimate.ts'
import { compactNodeLine, nodeLines, wideNodeLines } from './live-node.ts'
import type { LiveShow } from './live-show.ts'
import { besideTexts, failedText, loadText } from './node-text.ts'

const ROWS_MAX = 12
const WIDE_CELLS = 120
const TINY_CELLS = 40
const TINY_ROWS = 6
/** More nodes in work than this have one line each. */
const IN_FULL_MAX = 4
const STRIP_FROM = 50
const STRIP_CELLS = 40

/** What changes during a roll: head, nodes in work, load. At most 12 lines, and never more than fit. */
export function liveRegion(view: RollView, show: LiveShow): readonly Line[] {
  const { columns, rows } = show.size
  const inWork = view.nodes.filter(({ state }) => state === 'inWork')
  if (columns < TINY_CELLS || rows < TINY_ROWS) return [tinyLine(view, inWork)]
  const limit = Math.min(ROWS_MAX, rows - 3)
  const rest = [...stripLines(view, show), ...loadLines(view)]
  const room = Math.max(1, limit - 1 - rest.length)
  return [headLine(view, inWork, show), ...nodesLines(inWork, show, room), ...rest].slice(0, limit)
}

function tinyLine(view: RollView, [node]: readonly NodeView[]): Line {
  if (node === undefined) return [`${countText(ended(view))} done, ${failedText(view)}`]
  const step = currentStep(node)
  const progress = step?.progress === undefined ? '' : ` ${step.progress.done}/${step.progress.total}`
  return [{ text: node.name, tone: 'name' }, ` ${step?.step ?? ''}${progress}, ${failedText(view)}`]
}

const ended = (view: RollView): number => view.nodes.filter(({ state }) => state === 'ended').length

function headLine(view: RollView, inWork: readonly NodeView[], { now, size }: LiveShow): Line {
  const name = `roll ${view.cluster}`
  const done = ended(view)
  const counts = `${countText(done)} done, ${countText(inWork.length)} active, ${countText(view.nodes.length - done - inWork.length)} waiting`
  const left = `${name.padEnd(16)} ${counts}`
  const right = timeLeftText(view, inWork, { now, size })
  const gap = size.columns - 1 - cellWidth(left) - cellWidth(right)
  return [
    { text: left, tone: 'name' },
    ' '.repeat(Math.max(3, Math.min(gap, size.columns >= WIDE_CELLS ? 17 : 3))),
    right,
  ]
}

/** `5 min 20 s, 24 min left + hold, ends after 06:44 UTC`. */
function timeLeftText(
  view: RollView,
  inWork: readonly NodeView[],
  { now, size }: Pick<LiveShow, 'now' | 'size'>,
): string {
  const elapsed = formatDuration(Math.max(0, now - (view.startedAt ?? now)))
  const left = remainingMs(view, now)
  if (left === undefined) return elapsed
  const minutes = Math.ceil(left / 60_000)
  const held = inWork.some((node) => currentHold(currentStep(node)) !== undefined)
  const about = `${elapsed}, ${countText(minutes)} min left${held ? ' + hold' : ''}`
  if (size.columns < WIDE_CELLS) return about
  return `${about}, ends after ${new Date(now + left).toISOString().slice(11, 16)} UTC`
}

function nodesLines(inWork: readonly NodeView[], show: LiveShow, room: number): readonly Line[] {
  const wide = show.size.columns >= WIDE_CELLS
  if (inWork.length * 2 <= room && inWork.length <= IN_FULL_MAX) {
    return inWork.flatMap((node) => (wide ? wideNodeLines(node, show) : nodeLines(node, show)))
  }
  if (inWork.length <= room) return inWork.map((node) => compactNodeLine(node, show))
  const shown = inWork.slice(0, room - 1).map((node) => compactNodeLine(node, show))
  return [...shown, [`and ${countText(inWork.length - shown.length)} more active`]]
}

/** For many nodes: how far the roll is, and which node took longest. */
function stripLines(view: RollView, { now }: LiveShow): readonly Line[] {
  if (view.nodes.length < STRIP_FROM) return []
  const filled = Math.floor((ended(view) / view.nodes.length) * STRIP_CELLS)
  const strip = `${'='.repeat(filled)}${filled < STRIP_CELLS ? '>' : ''}`.padEnd(STRIP_CELLS, '.')
  const times = view.nodes.flatMap(({ name, startedAt, endedAt }) =>
    startedAt === undefined ? [] : [{ name, ms: (endedAt ?? now) - startedAt }],
  )
  const slowest = times.toSorted((a, b) => b.ms - a.ms)[0]
  return [
    [`[${strip}]  ${slowest === undefined ? '' : `slowest ${slowest.name} ${formatDuration(slowest.ms)}`}`.trimEnd()],
  ]
}

function loadLines(view: RollView): readonly Line[] {
  const { load } = view
  if (load === undefined) return []
  const allowed = allowedText(load.stop)
  const text = [loadText(view), ...(allowed === undefined ? [] : [allowed]), ...besideTexts(view)].join(', ')
  const failed = { text, ...(load.failed > 0 ? { tone: 'stop' as const } : {}) }
  const before = load.baselineP99Ms > 0 ? ` (before ${Math.round(load.baselineP99Ms)})` : ''
  const latency = `${countText(load.ratePerSecond)}/s   p99 ${Math.round(load.p99Ms)} ms${before}   strays ${countText(load.strays)}`
  return [['load ', failed, `${load.inBaseline === true ? ', before the roll begins' : ''}   ${latency}`]]
}
