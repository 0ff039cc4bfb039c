import { formatMinSec } from '../../../ground/model/duration.ts'
import { countText } from '../../../ground/text/count-text.ts'
import { boundsText } from '../../../ground/text/time-text.ts'
import { shareText } from '../../decide/availability/confidence.ts'
import { judgeText } from '../judge-text.ts'
import { html, type Markup } from '../markup.ts'
import type { PlanResult } from '../plan-result.ts'
import type { ReportDocument } from '../report-document.ts'
import { fillOf } from '../timeline/drawing-parts.ts'

const TITLES = ['time', 'sent', 'failed', 'share', 'downtime', 'strays', 'at 1/s'] as const

/** Plans in the order in which they ran, never by their result. */
export function comparisonSection(report: ReportDocument): Markup {
  const { plans } = report
  if (plans.length === 0) return html``
  const most = Math.max(1, ...plans.map(({ failedRequests }) => failedRequests))
  return html`<section id="comparison" aria-labelledby="comparison-heading"><h2 id="comparison-heading">Comparison</h2>
<p>${judgeText(report)}</p>
<div class="wide-box" tabindex="0" role="group" aria-label="Comparison"><table class="plans"><caption>One run of each plan under the same traffic. at 1/s: what a check once a second would have counted. Bar: failed requests on one linear scale from 0</caption>
<thead><tr><th scope="col">plan</th>${TITLES.map((title) => html`<th scope="col" class="n">${title}</th>`)}<th scope="col">failed</th></tr></thead>
<tbody>${plans.map((plan) => planRow(plan, most))}</tbody></table></div></section>
`
}

function planRow(plan: PlanResult, most: number): Markup {
  const { failedRequests, sentRequests, downtimeMs } = plan
  const downtime = failedRequests === 0 ? 'none seen' : boundsText(downtimeMs.low, downtimeMs.high ?? undefined)
  const values = [
    formatMinSec(plan.seconds * 1000),
    countText(sentRequests),
    countText(failedRequests),
    shareText(failedRequests, sentRequests),
    downtime,
    plan.strays === undefined ? '?' : countText(plan.strays),
    String(Number(plan.failedAt1Hz.toFixed(1))),
  ]
  // A bar with a failed request always has a visible width; a bar without one has none.
  const width = failedRequests === 0 ? 0 : Math.max(1, Math.round((failedRequests / most) * 160))
  return html`<tr><th scope="row">${plan.name}</th>${values.map((value) => html`<td class="n">${value}</td>`)}<td><svg width="160" height="12" role="img" aria-label="${countText(failedRequests)} failed"><rect width="${width}" height="12" ${fillOf('fail')}/></svg></td></tr>
`
}
