import { html, type Markup } from '../markup.ts'
import { notMeasuredTexts } from '../not-measured.ts'
import type { ReportDocument } from '../report-document.ts'
import { stopRules } from '../stop-rules.ts'
import { outcomeWord, verdictFacts, verdictSentence } from '../verdict.ts'

export const verdictSection = (
  report: ReportDocument,
): Markup => html`<section id="verdict" aria-labelledby="verdict-heading">
<h1 id="verdict-heading"><strong class="word ${report.outcome}">${outcomeWord(report)}</strong> ${verdictSentence(report)}</h1>
<p class="where">${report.cluster}, ${(report.startedAt ?? report.lastAt).slice(0, 10)}, run <code>${report.run}</code></p>
<dl class="facts">
${verdictFacts(report).map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
${whyList(report)}${nextList(report)}
<div class="pair"><div><h2 id="rules">Stop rules</h2>
<div class="wide-box"><table class="rules"><caption>What stops a roll: what was measured beside its limit</caption>
<thead><tr><th scope="col">rule</th><th scope="col" class="n">measured</th><th scope="col" class="n">limit</th><th scope="col">so</th></tr></thead>
<tbody>${stopRules(report).map(
  ({ rule, measured, limit, state }) =>
    html`<tr class="${state === 'reached' ? 'bad' : 'good'}"><th scope="row">${rule}</th><td class="n">${measured}</td><td class="n">${limit}</td><td>${state}</td></tr>\n`,
)}</tbody></table></div></div>
<div><h2 id="not-measured">Not measured</h2>
<ul>${notMeasuredTexts(report).map((text) => html`<li>${text}</li>\n`)}</ul></div></div>
</section>
`

function whyList({ reasons, outcome }: ReportDocument): Markup {
  // The first one stands in the verdict.
  const more = outcome === 'completed' ? reasons : reasons.slice(1)
  return more.length === 0 ? html`` : html`<h2>Why</h2><ul>${more.map(({ text }) => html`<li>${text}</li>`)}</ul>`
}

function nextList({ next }: ReportDocument): Markup {
  if (next.length === 0) return html``
  return html`<h2>Next</h2><ul>${next.map((command) => html`<li><code>${command}</code></li>`)}</ul>`
}
