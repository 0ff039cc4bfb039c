import { html, type Markup } from '../markup.ts'
import { pageShell } from '../page-shell.ts'
import type { ReportDocument } from '../report-document.ts'
import { axisRow } from '../timeline/axis-row.ts'
import { chartRows } from '../timeline/chart-rows.ts'
import { type ChartScale, chartScale } from '../timeline/chart-scale.ts'
import { fillOf } from '../timeline/drawing-parts.ts'
import { drawingRow } from '../timeline/drawing-row.ts'
import { NODE_ROW_PX, stepMarks } from '../timeline/step-marks.ts'
import { type TimeScale, timeScale } from '../timeline/time-scale.ts'
import { chartColumns, laneRows } from '../timeline/timeline.ts'
import { outcomeSentence, outcomeWord, whyOf } from '../verdict.ts'
import { type ComparedRow, comparisonOf, type RunPair } from './run-comparison.ts'

/** Two runs on one page: both verdicts, the same axes for both, and each figure beside that of the other run. */
export function comparePage(pair: RunPair): string {
  const { verdicts, nodes, steps } = comparisonOf(pair)
  const [first, second] = pair
  const scales = scalesOf(pair)
  const axes = chartScale(
    pair.flatMap((report) => chartColumns(report) ?? []),
    scales[0],
  )
  const body = html`<h1>${first.run} and ${second.run}</h1>
<div class="compare">${pair.map(verdict)}</div>
<section aria-labelledby="time-heading"><h2 id="time-heading">Timeline, failures and latency</h2>
<p>Both runs have the same axes: time after the start, failed requests, latency.</p>
${pair.map((report, index) => drawing(report, { scale: scales[index] ?? scales[0], axes }))}</section>
${table('Figures', { rows: verdicts, pair, first: 'what', caption: 'The change is that of the second run against the first' })}
${table('Time per node', { rows: nodes, pair, first: 'node', caption: 'Minutes and seconds. Bars of both runs have one scale' })}
${table('Time per step', { rows: steps, pair, first: 'step', caption: 'The middle value of all nodes, in minutes and seconds' })}
`
  return pageShell({ title: `${first.run} and ${second.run}, compared`, body, data: pair })
}

const verdict = (
  report: ReportDocument,
): Markup => html`<article class="card"><h2><strong class="word ${report.outcome}">${outcomeWord(report)}</strong> ${outcomeSentence(report)}</h2>
<p>${whyOf(report)}</p>
<p class="where">${report.cluster}, ${(report.startedAt ?? report.lastAt).slice(0, 10)}, run <code>${report.run}</code></p></article>
`

/** Each run from its own start, both as long as the longer one. */
function scalesOf([first, second]: RunPair): readonly [TimeScale, TimeScale] {
  const start = ({ startedAt, lastAt }: ReportDocument): number => Date.parse(startedAt ?? lastAt)
  const length = (report: ReportDocument): number => Date.parse(report.lastAt) - start(report)
  const longest = Math.max(length(first), length(second))
  return [timeScale(start(first), start(first) + longest), timeScale(start(second), start(second) + longest)]
}

interface Axes {
  readonly scale: TimeScale
  readonly axes: ChartScale
}

function drawing(report: ReportDocument, { scale, axes }: Axes): Markup {
  const until = Date.parse(report.lastAt)
  const shapes = html`${report.nodes.map((node) => stepMarks(node, scale, until))}`
  const steps = drawingRow({ kind: 'node', name: 'nodes', total: '', heightPx: NODE_ROW_PX, shapes, guides: [] }, scale)
  const columns = chartColumns(report)
  return html`<figure aria-label="Run ${report.run}"><figcaption>Run <code>${report.run}</code></figcaption><div class="scroll"><div class="drawing">${axisRow(scale, 'elapsed')}${steps}${laneRows(report, scale)}${columns === null ? '' : chartRows(columns, scale, axes)}</div></div></figure>
`
}

interface Table {
  readonly rows: readonly ComparedRow[]
  readonly pair: RunPair
  /** Title of the first column. */
  readonly first: string
  readonly caption: string
}

function table(heading: string, { rows, pair, first, caption }: Table): Markup {
  const longest = Math.max(1, ...rows.flatMap(({ lengthsMs = [] }) => lengthsMs.map((ms) => ms ?? 0)))
  const withBars = first !== 'what'
  const head = [first, ...pair.map(({ run }) => run), 'change']
  return html`<section><h2>${heading}</h2>
<div class="wide-box" tabindex="0" role="group" aria-label="${heading}"><table class="compared"><caption>${caption}</caption>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(({ name, values, change, lengthsMs }) => {
    const cells = values.map(
      (value, index) => html`<td>${value}${withBars ? bar((lengthsMs?.[index] ?? 0) / longest) : ''}</td>`,
    )
    return html`<tr><th scope="row">${name}</th>${cells}<td class="n">${change}</td></tr>\n`
  })}</tbody></table></div></section>`
}

const BAR_PX = 140

const bar = (share: number): Markup =>
  html` <svg width="${BAR_PX}" height="10" aria-hidden="true" focusable="false"><rect width="${Math.round(share * BAR_PX)}" height="10" ${fillOf('leave')}/></svg>`
