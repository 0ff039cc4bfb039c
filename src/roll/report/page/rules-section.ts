import { html, type Markup } from '../markup.ts'
import { measurementLimits } from '../measurement-limits.ts'
import type { ReportDocument } from '../report-document.ts'
import { stopRules } from '../stop-rules.ts'

/** How far the verdict can be trusted: each limit with what was measured, and what the measurement covers. */
export const rulesSection = (
  report: ReportDocument,
): Markup => html`<section id="rules" aria-labelledby="rules-heading"><h2 id="rules-heading">Stop rules</h2>
<div class="wide-box" tabindex="0" role="group" aria-label="Stop rules"><table class="rules"><caption>A roll stops when a measured value reaches its limit</caption>
<thead><tr><th scope="col">rule</th><th scope="col" class="n">measured</th><th scope="col" class="n">limit</th><th scope="col">result</th></tr></thead>
<tbody>${stopRules(report).map(
  ({ rule, measured, limit, state }) =>
    html`<tr class="${state === 'limit reached' ? 'bad' : 'good'}"><th scope="row">${rule}</th><td class="n">${measured}</td><td class="n">${limit}</td><td>${state}</td></tr>\n`,
)}</tbody></table></div>
</section>
<section id="measurement" aria-labelledby="measurement-heading"><h2 id="measurement-heading">Limits of the measurement</h2>
<ul>${measurementLimits(report).map((text) => html`<li>${text}</li>\n`)}</ul>
</section>
`
