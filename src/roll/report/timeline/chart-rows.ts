import { formatDuration } from '../../../ground/model/duration.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { timeText } from '../../../ground/text/time-text.ts'
import { type LatencyColumns, thinnedLatency } from '../document/latency-columns.ts'
import { latencyText } from '../latency-text.ts'
import { constantMarkup, html, type Markup } from '../markup.ts'
import { type ChartScale, latencyShare } from './chart-scale.ts'
import { fillOf, strokeOf } from './drawing-parts.ts'
import { drawingRow } from './drawing-row.ts'
import { markGroup } from './mark.ts'
import { placeOf, type TimeScale, widthOf } from './time-scale.ts'

const LATENCY_ROW_PX = 96
const FAILED_ROW_PX = 40
/** Units of a chart's own width, which is stretched over its part of the axis. */
const UNITS = 1_000

interface Chart {
  readonly columns: LatencyColumns
  readonly scale: TimeScale
  readonly axes: ChartScale
}

/** Failures and latency over time, on the axis of the steps. */
export function chartRows(latency: LatencyColumns, scale: TimeScale, axes: ChartScale): Markup {
  const inView = cut(latency, scale)
  if (inView.failed.length === 0) return html``
  const columns = thinnedLatency(inView, axes.everyMs)
  const isTimed = columns.p50Ms.some((ms) => ms !== null)
  const chart = { columns, scale, axes }
  return html`${failedRow(chart)}${isTimed ? latencyRow(chart) : ''}`
}

/** The part within the axis: a resumed run, or one whose clock was set, can have more. */
function cut(columns: LatencyColumns, { fromMs, toMs }: TimeScale): LatencyColumns {
  const startMs = Date.parse(columns.startedAt)
  const first = Math.max(0, Math.floor((fromMs - startMs) / columns.everyMs))
  const end = Math.max(first, Math.ceil((toMs - startMs) / columns.everyMs))
  const some = <T>(values: readonly T[]): readonly T[] => values.slice(first, end)
  return {
    startedAt: new Date(startMs + first * columns.everyMs).toISOString(),
    everyMs: columns.everyMs,
    failed: some(columns.failed),
    p50Ms: some(columns.p50Ms),
    p99Ms: some(columns.p99Ms),
    maxMs: some(columns.maxMs),
  }
}

function failedRow(chart: Chart): Markup {
  const { columns, axes } = chart
  const total = columns.failed.reduce((sum, failed) => sum + failed, 0)
  const height = (failed: number): number => Math.max(4, (failed / axes.failedMax) * (FAILED_ROW_PX - 4))
  const bars = columns.failed.flatMap((failed, index) =>
    failed === 0 ? [] : [`M${unit(chart, index + 0.5)} ${FAILED_ROW_PX}v${-height(failed).toFixed(1)}`],
  )
  const ground = html`<rect x="0" y="${FAILED_ROW_PX - 1}" width="100%" height="1" ${fillOf('outline')}/>`
  const path =
    bars.length === 0
      ? html``
      : html`<path d="${pathData(bars)}" fill="none" ${strokeOf('fail')} stroke-width="3" vector-effect="non-scaling-stroke"/>`
  const every = formatDuration(columns.everyMs)
  const shape = html`${ground}${stretched(chart, FAILED_ROW_PX, path)}`
  const lines = [`Failed requests in each ${every}`, failedText(columns, total)]
  return drawingRow(
    {
      kind: 'chart',
      name: `failed per ${columns.everyMs === 1_000 ? 'second' : every}`,
      total: countText(total),
      heightPx: FAILED_ROW_PX,
      shapes: markGroup({ kind: 'chart', lines, shape }),
      guides: [],
    },
    chart.scale,
  )
}

function failedText({ failed, startedAt, everyMs }: LatencyColumns, total: number): string {
  if (total === 0) return 'no request failed'
  const most = Math.max(...failed)
  const at = Date.parse(startedAt) + failed.indexOf(most) * everyMs
  return `${countOf(total, 'request')} failed, at most ${countText(most)} at ${timeText(at)}`
}

function latencyRow(chart: Chart): Markup {
  const { columns, axes, scale } = chart
  const y = (ms: number): number => Number(((1 - latencyShare(axes, ms)) * (LATENCY_ROW_PX - 12) + 8).toFixed(1))
  const decades = Array.from({ length: axes.highDecade - axes.lowDecade + 1 }, (_, index) => axes.lowDecade + index)
  const grid = decades.map((decade) => {
    const at = y(10 ** decade)
    return html`<line x1="0" x2="100%" y1="${at}" y2="${at}" ${strokeOf('hair')}/>`
  })
  const words = decades.map((decade) => {
    const text = latencyText(10 ** decade)
    const top = y(10 ** decade) - 6
    return html`<rect x="0" y="${top}" width="${text.length * 6 + 4}" height="12" ${fillOf('paper')}/><text x="2" y="${top + 10}" font-size="10" ${fillOf('quiet')}>${text}</text>`
  })
  const lines = html`${maxTicks(chart, y)}${stepLine(chart, 'p99Ms', y)}${stepLine(chart, 'p50Ms', y)}`
  const shape = html`${grid}${stretched(chart, LATENCY_ROW_PX, lines)}${words}`
  const summary = [
    `Latency of good requests in each ${formatDuration(columns.everyMs)}, logarithmic axis`,
    ...(['p50Ms', 'p99Ms', 'maxMs'] as const).map((name) => rangeText(columns, name)),
  ]
  const row = { kind: 'chart', name: 'latency', total: '', heightPx: LATENCY_ROW_PX, guides: [] } as const
  return drawingRow({ ...row, shapes: markGroup({ kind: 'chart', lines: summary, shape }) }, scale)
}

const NAMES = { p50Ms: 'p50', p99Ms: 'p99', maxMs: 'max' } as const
type Figure = keyof typeof NAMES

/** `p99 8 to 48 ms, highest at 06:30:58Z`. */
function rangeText({ startedAt, everyMs, ...columns }: LatencyColumns, name: Figure): string {
  const known = columns[name].filter((ms) => ms !== null)
  if (known.length === 0) return `${NAMES[name]} not measured`
  const most = Math.max(...known)
  const at = Date.parse(startedAt) + columns[name].indexOf(most) * everyMs
  return `${NAMES[name]} ${latencyText(Math.min(...known))} to ${latencyText(most)}, highest at ${timeText(at)}`
}

const PAINT: Readonly<Record<'p50Ms' | 'p99Ms', Markup>> = {
  p50Ms: html`${strokeOf('return')} stroke-width="1.5" stroke-dasharray="6 2"`,
  p99Ms: html`${strokeOf('text')} stroke-width="1.5"`,
}

/** A level for each column; the line has a gap where nothing was measured. */
function stepLine(chart: Chart, name: 'p50Ms' | 'p99Ms', y: (ms: number) => number): Markup {
  const parts = chart.columns[name].map((ms, index, all) => {
    if (ms === null) return ''
    const from = unit(chart, index)
    const isJoined = index > 0 && all[index - 1] !== null
    return `${isJoined ? `V${y(ms)}` : `M${from} ${y(ms)}`}H${unit(chart, index + 1)}`
  })
  return html`<path d="${pathData(parts)}" fill="none" ${PAINT[name]} vector-effect="non-scaling-stroke"/>`
}

function maxTicks(chart: Chart, y: (ms: number) => number): Markup {
  const parts = chart.columns.maxMs.flatMap((ms, index) =>
    ms === null ? [] : [`M${unit(chart, index)} ${y(ms)}H${unit(chart, index + 1)}`],
  )
  return html`<path d="${pathData(parts)}" fill="none" ${strokeOf('outline')} stroke-width="2.5" stroke-linecap="round" vector-effect="non-scaling-stroke"/>`
}

/** Only numbers and letters of our own; it is longer than foreign text may be. */
const pathData = (parts: readonly string[]): Markup => constantMarkup(parts.join(''))

const unit = ({ columns }: Chart, index: number): number => Number(((index / columns.failed.length) * UNITS).toFixed(1))

function stretched({ columns, scale }: Chart, heightPx: number, shape: Markup): Markup {
  const from = Date.parse(columns.startedAt)
  const to = from + columns.failed.length * columns.everyMs
  return html`<svg x="${placeOf(scale, from)}" width="${widthOf(scale, from, to)}" height="${heightPx}" viewBox="0 0 ${UNITS} ${heightPx}" preserveAspectRatio="none">${shape}</svg>`
}
