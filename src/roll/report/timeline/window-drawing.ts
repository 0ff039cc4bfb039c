import type { OutageDocument } from '../document/outages.ts'
import { html, type Markup } from '../markup.ts'
import type { NodeDocument, ReportDocument } from '../report-document.ts'
import { axisRow } from './axis-row.ts'
import { BAND_ROW_PX, balancerBands } from './balancer-bands.ts'
import { drawingRow } from './drawing-row.ts'
import { LANE_ROW_PX, laneName, windowShape } from './failure-lane.ts'
import { NODE_ROW_PX, stepMarks } from './step-marks.ts'
import { type TimeScale, timeScale } from './time-scale.ts'

const AROUND_MIN_MS = 1_000
const AROUND_MAX_MS = 30_000

/** One outage, enlarged so that its edges can be seen, with all its lanes and the steps that may have caused it. */
export function windowDrawing(outage: OutageDocument, report: ReportDocument): Markup {
  const scale = around(outage, report)
  const blamed = new Set(outage.blame.slice(0, 3).map(({ node }) => node))
  const guide = [Date.parse(outage.firstBadAt)]
  const rows = report.nodes
    .filter(({ name }) => blamed.has(name))
    .map((node) => {
      const near = { ...node, steps: node.steps.filter((step) => overlaps(step, scale)) }
      const row = { kind: 'node', name: node.name, total: '', heightPx: NODE_ROW_PX, guides: guide } as const
      return html`${drawingRow({ ...row, shapes: html`${stepMarks(near, scale, Date.parse(report.lastAt))}` }, scale)}${bands(node, scale, guide)}`
    })
  const lanes = outage.lanes.map((lane) => {
    const windows = outage.windows.flatMap((place) => report.windows[place] ?? []).filter((one) => one.lane === lane)
    const row = { kind: 'lane', name: laneName(lane), total: '', heightPx: LANE_ROW_PX, guides: [] } as const
    return drawingRow({ ...row, shapes: html`${windows.map((window) => windowShape(window, scale))}` }, scale)
  })
  return html`${axisRow(scale, 'failure')}${rows}${lanes}`
}

const bands = (node: NodeDocument, scale: TimeScale, guides: readonly number[]): readonly Markup[] =>
  balancerBands(node, scale).map(({ name, shapes }) =>
    drawingRow({ kind: 'band', name, total: '', heightPx: BAND_ROW_PX, shapes, guides }, scale),
  )

function around(outage: OutageDocument, { startedAt }: ReportDocument): TimeScale {
  const { lastOkAt, firstBadAt, lastBadAt, firstOkAt } = outage
  const from = Date.parse(lastOkAt ?? firstBadAt)
  const to = Date.parse(firstOkAt ?? lastBadAt)
  const aroundMs = Math.min(AROUND_MAX_MS, Math.max(AROUND_MIN_MS, 2 * (to - from)))
  const zeroMs = Date.parse(firstBadAt)
  const startMs = startedAt === null ? zeroMs : Date.parse(startedAt)
  return { ...timeScale(from - aroundMs, to + aroundMs), startMs, zeroMs, ticksMax: 4 }
}

const overlaps = (
  { startedAt, endedAt }: { readonly startedAt: string; readonly endedAt: string | null },
  { fromMs, toMs }: TimeScale,
): boolean => Date.parse(startedAt) < toMs && (endedAt === null || Date.parse(endedAt) > fromMs)
