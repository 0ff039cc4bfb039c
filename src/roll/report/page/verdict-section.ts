import { html, type Markup } from '../markup.ts'
import type { ReportDocument } from '../report-document.ts'
import { outcomeSentence, outcomeWord, verdictFacts, whyOf } from '../verdict.ts'

/** What happened, why, the figures, and what to type next. */
export const verdictSection = (
  report: ReportDocument,
): Markup => html`<section id="verdict" aria-labelledby="verdict-heading">
<h1 id="verdict-heading"><strong class="word ${report.outcome}">${outcomeWord(report)}</strong> ${outcomeSentence(report)}</h1>
<p class="why">${whyOf(report)}</p>
<p class="where">${report.cluster}, ${(report.startedAt ?? report.lastAt).slice(0, 10)}, run <code>${report.run}</code></p>
<dl class="facts">
${verdictFacts(report).map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
${moreReasons(report)}${nextList(report)}
</section>
`

/** The first reason is in the sentence above. */
function moreReasons({ reasons, outcome }: ReportDocument): Markup {
  const more = outcome === 'completed' ? reasons : reasons.slice(1)
  return more.length === 0
    ? html``
    : html`<h2>More reasons</h2><ul>${more.map(({ text }) => html`<li>${text}</li>`)}</ul>`
}

function nextList({ next }: ReportDocument): Markup {
  if (next.length === 0) return html``
  return html`<div class="next"><h2>Next</h2><ul>${next.map((command) => html`<li><code>${command}</code></li>`)}</ul></div>`
}
