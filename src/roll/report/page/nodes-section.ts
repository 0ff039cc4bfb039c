import { formatDuration, formatMinSec } from '../../../ground/model/duration.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { timeText } from '../../../ground/text/time-text.ts'
import { STEPS, type Step } from '../../model/step.ts'
import { html, type Markup } from '../markup.ts'
import { ownReasons } from '../own-reasons.ts'
import type { NodeDocument, ReportDocument } from '../report-document.ts'

/** A table of nodes and steps. Below each node are the details that a phone has no room for. */
export function nodesSection(report: ReportDocument): Markup {
  const head = STEPS.map((step) => html`<th scope="col" class="n more">${step}</th>`)
  return html`<section id="nodes" aria-labelledby="nodes-heading"><h2 id="nodes-heading">Nodes</h2>
<div class="wide-box"><table class="nodes"><caption>Time in each step, min:s</caption>
<thead><tr><th scope="col">node</th><th scope="col" class="n">total</th>${head}<th scope="col" class="n more">held</th><th scope="col" class="n more">moved</th><th scope="col" class="n">failed</th><th scope="col">state now</th></tr></thead>
<tbody>${report.nodes.map((node) => nodeRow(node, report))}</tbody></table></div>
<h3>Node by node</h3>
${report.nodes.filter(({ startedAt }) => startedAt !== null).map((node) => nodeDetails(node, report))}
</section>
`
}

function nodeRow(node: NodeDocument, report: ReportDocument): Markup {
  const { times, standing } = node
  if (times === null) {
    return html`<tr><th scope="row">${node.name}</th><td class="n">-</td>${STEPS.map(() => html`<td class="n more">-</td>`)}<td class="n more">-</td><td class="n more">-</td><td class="n">-</td><td>${standing?.text ?? 'not begun'}</td></tr>\n`
  }
  const cells = STEPS.map((step) => html`<td class="n more">${stepCell(node, step, report)}</td>`)
  const failed = standing === null ? '?' : countText(standing.failedRequests)
  return html`<tr><th scope="row"><a href="#${anchorOf(node, report)}">${node.name}</a></th><td class="n">${formatMinSec(times.totalMs)}</td>${cells}<td class="n more">${times.heldMs === 0 ? '-' : formatMinSec(times.heldMs)}</td><td class="n more">${countText(node.podsMoved)}</td><td class="n">${failed}</td><td>${standing?.text ?? 'under way'}</td></tr>
`
}

/** Names are foreign text; the index of a node is not. */
const anchorOf = (node: NodeDocument, { nodes }: ReportDocument): string => `node-${nodes.indexOf(node) + 1}`

function stepCell({ steps }: NodeDocument, wanted: Step, { lastAt }: ReportDocument): string {
  const entries = steps.filter(({ step }) => step === wanted)
  if (entries.length === 0) return '-'
  const ms = entries.reduce((sum, { startedAt, endedAt }) => sum + lengthMs(startedAt, endedAt, lastAt), 0)
  return formatMinSec(ms)
}

const lengthMs = (from: string, to: string | null, lastAt: string): number =>
  Date.parse(to ?? lastAt) - Date.parse(from)

function nodeDetails(node: NodeDocument, report: ReportDocument): Markup {
  const { standing, pods, servers, steps } = node
  const strays = report.strays.filter((stray) => stray.node === node.name).reduce((sum, { count }) => sum + count, 0)
  const warnings = report.warnings.filter((warning) => warning.node === node.name)
  const total = node.times === null ? '' : `, ${formatMinSec(node.times.totalMs)}`
  return html`<details class="node" id="${anchorOf(node, report)}" open><summary><b>${node.name}</b>${total}: ${standing?.text ?? 'under way'}</summary>
<ol>${steps.map((step) => stepItem(step, report))}</ol>
<ul class="quiet">
<li>Restored: ${restoredText(node)}</li>
<li>${countOf(strays, 'stray')}</li>
${servers.length === 0 ? '' : html`<li>Balancers: ${servers.map(({ at, backend, server, instance, state, how }) => `${timeText(Date.parse(at))} ${backend}/${server} on ${instance} ${how} ${state}`).join('; ')}</li>\n`}${
  pods.length === 0
    ? ''
    : html`<li>Evicted: ${pods.map(({ pod, stage }) => `${pod} (stage ${stage})`).join(', ')}</li>\n`
}${warnings.map(({ at, text }) => html`<li>warning, ${timeText(Date.parse(at))}: ${text}</li>\n`)}</ul></details>
`
}

function restoredText({ standing }: NodeDocument): string {
  if (standing === null) return 'not known: the node is under way'
  const marks = [...(standing.cordoned ? ['cordoned'] : []), ...(standing.detached ? ['detached'] : [])]
  if (standing.state === 'inService' || standing.state === 'restored') return 'the state before the roll is restored'
  return marks.length === 0 ? 'nothing is left to restore' : `no: ${marks.join(' and ')}`
}

function stepItem(step: NodeDocument['steps'][number], { lastAt }: ReportDocument): Markup {
  const { startedAt, endedAt, progress, holds } = step
  const from = timeText(Date.parse(startedAt))
  const took = formatDuration(lengthMs(startedAt, endedAt, lastAt))
  const counted = progress === null ? '' : `, ${progress.done} of ${progress.total} ${progress.unit}`
  return html`<li><b>${step.step}</b> ${from}, ${endedAt === null ? `${took} so far` : took}${counted}${ownReasons(step)
    .slice(0, REASONS_MAX)
    .map((text) => html`; ${text}`)}${holds.map(
    (hold) =>
      html`<div class="hold">held ${formatDuration(lengthMs(hold.startedAt, hold.endedAt, lastAt))} from ${timeText(Date.parse(hold.startedAt))}: ${hold.reasons.map(({ text }) => text).join('; ')}</div>`,
  )}</li>
`
}

const REASONS_MAX = 8
