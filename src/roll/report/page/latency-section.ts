import { formatDuration } from '../../../ground/model/duration.ts'
import { countText } from '../../../ground/text/count-text.ts'
import type { LatencyColumns } from '../document/latency-columns.ts'
import { latencyOver } from '../document/latency-over.ts'
import { latencyText } from '../latency-text.ts'
import { html, type Markup } from '../markup.ts'
import type { ReportDocument } from '../report-document.ts'

/** The charts of the timeline as numbers: before the first node, and while each node was rolled. */
export function latencySection(report: ReportDocument): Markup {
  return html`<section id="latency" aria-labelledby="latency-heading"><h2 id="latency-heading">Latency</h2>
<p>Latency counts from the time at which a request was due. Failed requests have none; they are counted beside it.</p>
${report.latency === null ? knownFigures(report) : latencyTable(report.latency, report)}
</section>
`
}

/** A journal without latency over time still has two figures. */
function knownFigures({ baseline, p99Ms, load }: ReportDocument): Markup {
  if (load === null) return html`<p>Nothing was measured.</p>`
  const text = (ms: number | null | undefined): string => latencyText(ms ?? null)
  return html`<table><caption>p99 of the slower connections, new or kept</caption><thead><tr><th scope="col">time</th><th scope="col" class="n">p99</th></tr></thead>
<tbody><tr><th scope="row">baseline, before the roll</th><td class="n">${text(baseline?.p99Ms)}</td></tr><tr><th scope="row">during the roll</th><td class="n">${text(p99Ms)}</td></tr></tbody></table>
<p class="quiet">The latency of each second was not kept for this run (file latency.jsonl beside the journal), so there is no chart.</p>`
}

function latencyTable(latency: LatencyColumns, report: ReportDocument): Markup {
  const every = formatDuration(latency.everyMs)
  const begun = report.nodes.filter(({ startedAt }) => startedAt !== null)
  const first = begun[0]?.startedAt
  const until = Date.parse(report.lastAt)
  const rows = [
    ...(first == null ? [] : [{ name: 'before the first node', from: 0, to: Date.parse(first) }]),
    ...begun.map(({ name, startedAt, endedAt }) => ({
      name,
      from: Date.parse(startedAt ?? ''),
      to: endedAt === null ? until : Date.parse(endedAt),
    })),
    { name: 'all', from: 0, to: Number.POSITIVE_INFINITY },
  ]
  return html`<div class="wide-box" tabindex="0" role="group" aria-label="Latency by node"><table class="latency"><caption>By node. p50: the middle value of all periods of ${every}; p99: the worst of them</caption>
<thead><tr><th scope="col">while</th><th scope="col" class="n">p50</th><th scope="col" class="n">worst p99</th><th scope="col" class="n">max</th><th scope="col" class="n">failed</th></tr></thead>
<tbody>${rows.map(({ name, from, to }) => {
    const { p50Ms, worstP99Ms, maxMs, failed } = latencyOver(latency, from, to)
    return html`<tr><th scope="row">${name}</th>${[p50Ms, worstP99Ms, maxMs].map((ms) => html`<td class="n">${latencyText(ms)}</td>`)}<td class="n">${countText(failed)}</td></tr>\n`
  })}</tbody></table></div>`
}
