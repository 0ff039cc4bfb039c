import { countText } from '../../cli/text/count-text.ts'
import type { LatencyColumns, LatencyPhase } from '../latency-report.ts'
import { html, type Markup } from '../markup.ts'
import type { ReportDocument } from '../report-document.ts'
import { axisRow } from '../timeline/axis-row.ts'
import { fillOf, strokeOf } from '../timeline/drawing-parts.ts'
import { drawingRow } from '../timeline/drawing-row.ts'
import { placeOf, type TimeScale } from '../timeline/time-scale.ts'
import { scaleOf } from '../timeline/timeline.ts'

export function latencySection(report: ReportDocument): Markup {
  return html`<section id="latency" aria-labelledby="latency-heading"><h2 id="latency-heading">Latency</h2>
<p>From the scheduled time of each request, good requests only; failed requests are counted beside them.</p>
${report.latency === null ? knownFigures(report) : multiples(report.latency.phases)}
${report.latency?.columns === undefined ? '' : perSecond(report.latency.columns, scaleOf(report))}
</section>
`
}

/** A journal keeps two figures; they are no chart. */
function knownFigures({ baseline, p99Ms }: ReportDocument): Markup {
  const text = (ms: number | null | undefined): string => (ms == null ? '?' : `${Math.round(ms)} ms`)
  return html`<table><caption>p99 of the worst lane</caption><thead><tr><th scope="col">phase</th><th scope="col" class="n">p99</th></tr></thead>
<tbody><tr><th scope="row">before</th><td class="n">${text(baseline?.p99Ms)}</td></tr><tr><th scope="row">from then to the end</th><td class="n">${text(p99Ms)}</td></tr></tbody></table>
<p class="quiet">The journal of a roll keeps only these two figures, so there is no chart.</p>`
}

const WIDTH = 260
const LOW_MS = 1
const DECADES = 4
const FIGURES = ['p50Ms', 'p90Ms', 'p99Ms', 'maxMs'] as const

const logPlace = (ms: number): number =>
  Number(((Math.min(DECADES, Math.max(0, Math.log10(Math.max(ms, LOW_MS)))) / DECADES) * WIDTH).toFixed(1))

/** Lane by phase, all on one axis from 1 ms to 10 s. */
function multiples(phases: readonly LatencyPhase[]): Markup {
  return html`<div class="wide-box"><table class="latency"><caption>Milliseconds; drawn on one logarithmic axis from 1 ms to 10 s: p50 and p90 as ticks, p99 as a dot, max as a ring</caption>
<thead><tr><th scope="col">lane, phase</th><th scope="col" class="n">p50</th><th scope="col" class="n">p90</th><th scope="col" class="n">p99</th><th scope="col" class="n">max</th><th scope="col" class="n">good</th><th scope="col" class="n">failed</th><th scope="col">1 ms to 10 s</th></tr></thead>
<tbody>${phases.map(phaseRow)}</tbody></table></div>`
}

function phaseRow(of: LatencyPhase): Markup {
  const values = FIGURES.map((name) => html`<td class="n">${Math.round(of[name])}</td>`)
  const tick = (ms: number): Markup => html`<rect x="${logPlace(ms)}" y="3" width="2" height="10" ${fillOf('text')}/>`
  const decades = [0, 1, 2, 3, 4].map(
    (n) => html`<line x1="${(n / DECADES) * WIDTH}" x2="${(n / DECADES) * WIDTH}" y1="0" y2="16" ${strokeOf('hair')}/>`,
  )
  const drawing = html`${decades}${tick(of.p50Ms)}${tick(of.p90Ms)}<circle cx="${logPlace(of.p99Ms)}" cy="8" r="4" ${fillOf('text')}/><circle cx="${logPlace(of.maxMs)}" cy="8" r="4" fill="none" ${strokeOf('text')} stroke-width="1.5"/>`
  return html`<tr><th scope="row">${of.lane}, ${of.phase}</th>${values}<td class="n">${countText(of.samples)}</td><td class="n">${countText(of.failed)}</td><td><svg width="${WIDTH + 10}" height="16" viewBox="-5 0 ${WIDTH + 10} 16" role="img" aria-label="p99 ${Math.round(of.p99Ms)} ms">${drawing}</svg></td></tr>
`
}

const ROW_PX = 48

/** p99 as a line of steps and max as ticks, on the axis of the timeline. */
function perSecond(columns: LatencyColumns, scale: TimeScale): Markup {
  const height = (ms: number): number =>
    Number((ROW_PX - (Math.min(DECADES, Math.max(0, Math.log10(Math.max(ms, LOW_MS)))) / DECADES) * ROW_PX).toFixed(1))
  const startedAt = Date.parse(columns.startedAt)
  const marks = columns.p99Ms.map((p99, index) => {
    if (p99 === null) return html``
    const x = placeOf(scale, startedAt + index * columns.everyMs)
    const most = columns.maxMs[index] ?? p99
    return html`<rect x="${x}" y="${height(most)}" width="1" height="1.5" ${fillOf('outline')}/><rect x="${x}" y="${height(p99)}" width="1.5" height="2" ${fillOf('text')}/>`
  })
  const name = 'p99 and max'
  const row = drawingRow({ kind: 'lane', name, total: '', heightPx: ROW_PX, shapes: html`${marks}`, guides: [] }, scale)
  const about = `p99 (strong) and max (faint) of each ${columns.everyMs / 1000} s, on a logarithmic axis from 1 ms at the foot to 10 s at the top`
  return html`<p class="quiet">${about}</p><figure aria-label="${about}"><div class="scroll"><div class="drawing">${axisRow(scale, 'elapsed')}${row}${axisRow(scale, 'utc')}</div></div></figure>`
}
