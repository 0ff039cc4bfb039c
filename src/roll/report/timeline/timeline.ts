import { formatDuration, formatMinSec } from '../../../ground/model/duration.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import type { LatencyColumns } from '../document/latency-columns.ts'
import { failuresOver } from '../document/load-columns.ts'
import { html, type Markup } from '../markup.ts'
import type { NodeDocument, ReportDocument } from '../report-document.ts'
import { axisRow } from './axis-row.ts'
import { BAND_ROW_PX, balancerBands } from './balancer-bands.ts'
import { chartRows } from './chart-rows.ts'
import { chartScale } from './chart-scale.ts'
import { fillOf, patternOf } from './drawing-parts.ts'
import { drawingRow } from './drawing-row.ts'
import { failureMarks, LANE_ROW_PX, laneName, numberedWindows } from './failure-lane.ts'
import { markGroup } from './mark.ts'
import { NODE_ROW_PX, stepMarks } from './step-marks.ts'
import { placeOf, type TimeScale, timeScale, widthOf } from './time-scale.ts'
import { momentText } from './time-words.ts'

const FOLDED_ABOVE = 40
/** With more guides than these, the drawing would be covered by them. */
const GUIDES_MAX = 20

export function scaleOf(report: ReportDocument): TimeScale {
  const until = Date.parse(report.lastAt)
  return timeScale(report.startedAt === null ? until : Date.parse(report.startedAt), until)
}

/** Every row of the drawing, on one axis: nodes in roll order with their balancers, then the failures. */
export function timelineRows(report: ReportDocument): Markup {
  const scale = scaleOf(report)
  const begun = report.nodes.filter(({ startedAt }) => startedAt !== null)
  const fold = begun.length > FOLDED_ABOVE
  const groups = fold ? foldGroups(begun, report) : begun.map((node) => [node])
  const rows = groups.map((group) => {
    const inside = group.map((node) => nodeRows(node, report, scale))
    return group.length === 1 ? inside : foldedRows(group, inside)
  })
  return html`${axisRow(scale, 'elapsed')}${rows}${untouched(report)}${laneRows(report, scale)}${chartsOf(report, scale)}${axisRow(scale, 'utc')}`
}

/** A journal has a count of the load every five seconds. */
const COUNTED_EVERY_MS = 5_000

/** The columns of the charts; without latency where none was stored. */
export const chartColumns = ({ latency, load }: ReportDocument): LatencyColumns | null =>
  latency ?? (load === null ? null : failuresOver(load, COUNTED_EVERY_MS))

function chartsOf(report: ReportDocument, scale: TimeScale): Markup {
  const columns = chartColumns(report)
  return columns === null ? html`` : chartRows(columns, scale, chartScale([columns], scale))
}

function nodeRows(node: NodeDocument, report: ReportDocument, scale: TimeScale): Markup {
  const guides = guidesThrough(node, report)
  const shapes = html`${stepMarks(node, scale, scale.toMs)}${strayMarks(node, report, scale)}`
  const total = formatMinSec(node.times?.totalMs ?? 0)
  const row = drawingRow({ kind: 'node', name: node.name, total, heightPx: NODE_ROW_PX, shapes, guides }, scale)
  const bands = balancerBands(node, scale).map(({ name, shapes: bandShapes }) =>
    drawingRow({ kind: 'band', name, total: '', heightPx: BAND_ROW_PX, shapes: bandShapes, guides }, scale),
  )
  return html`${row}${bands}`
}

/** A line goes down from the node that is the most likely cause, so it passes every row below that node. */
function guidesThrough(node: NodeDocument, { nodes, outages }: ReportDocument): readonly number[] {
  const place = nodes.indexOf(node)
  return outages.slice(0, GUIDES_MAX).flatMap(({ blame, firstBadAt }) => {
    const blamed = nodes.findIndex(({ name }) => name === blame[0]?.node)
    return blamed >= 0 && blamed <= place ? [Date.parse(firstBadAt)] : []
  })
}

function strayMarks({ name }: NodeDocument, report: ReportDocument, scale: TimeScale): readonly Markup[] {
  return report.strays
    .filter(({ node }) => node === name)
    .map(({ at, server, count }) =>
      markGroup({
        kind: 'stray',
        lines: [
          `${name}: ${countOf(count, 'stray')}`,
          `sent by ${server} after the detach was confirmed; seen ${momentText(scale, Date.parse(at))}`,
        ],
        shape: html`<svg x="${placeOf(scale, Date.parse(at))}" overflow="visible"><path d="M-5 0H5L0 9Z" ${fillOf('fail')}/></svg>`,
      }),
    )
}

/** Groups neighbours with the same result and without details. */
function foldGroups(nodes: readonly NodeDocument[], report: ReportDocument): readonly (readonly NodeDocument[])[] {
  const groups: NodeDocument[][] = []
  for (const node of nodes) {
    const last = groups.at(-1)
    const before = last?.[0]
    const alike =
      before !== undefined && isPlain(before, report) && isPlain(node, report) && stateOf(before) === stateOf(node)
    if (alike) last?.push(node)
    else groups.push([node])
  }
  return groups
}

const stateOf = ({ standing }: NodeDocument): string => standing?.state ?? ''

const isPlain = (node: NodeDocument, { strays, windows }: ReportDocument): boolean =>
  node.steps.every(({ holds, endedAt }) => holds.length === 0 && endedAt !== null) &&
  !strays.some((stray) => stray.node === node.name) &&
  !windows.some(({ blame }) => blame[0]?.node === node.name)

function foldedRows(group: readonly NodeDocument[], rows: readonly Markup[]): Markup {
  const times = group.map(({ times }) => times?.totalMs ?? 0)
  const span = `${formatMinSec(Math.min(...times))} to ${formatMinSec(Math.max(...times))} each`
  const names = `${group[0]?.name ?? ''} to ${group.at(-1)?.name ?? ''}`
  return html`<details class="fold" open><summary>${countOf(group.length, 'node')}, ${names}: ${group[0]?.standing?.text ?? 'alike'}, ${span}</summary>
${rows}</details>`
}

function untouched({ nodes }: ReportDocument): Markup {
  const names = nodes.filter(({ startedAt }) => startedAt === null).map(({ name }) => name)
  if (names.length === 0) return html``
  return html`<p class="row rest">Not begun: ${names.join(', ')}</p>`
}

/** The failures of each lane. */
export function laneRows(report: ReportDocument, scale: TimeScale): Markup {
  if (report.load === null) return html`<p class="row rest">Requests: not measured.</p>`
  const gaps = report.notMeasured.map((gap) => gapMark(gap, scale))
  const numbered = numberedWindows(report)
  const lanes = (['new', 'kept'] as const).map((lane) => {
    const windows = numbered.filter((window) => window.lane === lane)
    const failed = windows.reduce((sum, window) => sum + window.failed, 0)
    const shapes = html`<rect x="0" y="${LANE_ROW_PX - 1}" width="100%" height="1" ${fillOf('outline')}/>${gaps}${failureMarks(windows, scale)}`
    return drawingRow(
      { kind: 'lane', name: laneName(lane), total: countText(failed), heightPx: LANE_ROW_PX, shapes, guides: [] },
      scale,
    )
  })
  return html`${lanes}`
}

function gapMark({ from, to, ms }: ReportDocument['notMeasured'][number], scale: TimeScale): Markup {
  const a = Date.parse(from)
  const b = Date.parse(to)
  const x = placeOf(scale, a)
  const area = html`<rect x="${x}" y="8" width="${widthOf(scale, a, b)}" height="14" ${patternOf('gap')}/>`
  const narrow = html`<rect data-wide="" x="${x}" y="8" width="2" height="14" ${fillOf('outline')}/>`
  return markGroup({
    kind: 'gap',
    lines: [
      `not measured for ${formatDuration(ms)}`,
      `somewhere from ${momentText(scale, a)} to ${momentText(scale, b)}`,
    ],
    shape: html`${area}${narrow}<svg class="label" x="${x}" overflow="visible"><text x="4" y="6.5" font-size="9" ${fillOf('quiet')}>not measured</text></svg>`,
  })
}
