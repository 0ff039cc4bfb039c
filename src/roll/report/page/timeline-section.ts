import { html, type Markup } from '../markup.ts'
import type { ReportDocument } from '../report-document.ts'
import { fillOf, patternOf, strokeOf } from '../timeline/drawing-parts.ts'
import { overviewStrip } from '../timeline/overview-strip.ts'
import { scaleOf, timelineRows } from '../timeline/timeline.ts'
import { failedOfSent } from '../verdict.ts'

export const timelineSection = (
  report: ReportDocument,
): Markup => html`<section id="timeline" aria-labelledby="timeline-heading">
<h2 id="timeline-heading">Timeline</h2>
<p id="keys" class="script-only" hidden>Keys: arrows along and between rows, Home, End; <kbd>[</kbd> <kbd>]</kbd> previous and next failure; <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom; Enter keeps the details below, Escape releases them.</p>
<div class="script-only tools" hidden><button type="button" data-do="out">− out</button><button type="button" data-do="in">+ in</button><button type="button" data-do="fit">0 whole</button><button type="button" data-do="before">[ failure</button><button type="button" data-do="after">] failure</button></div>
<figure aria-label="Timeline: ${failedOfSent(report)}">
${overviewStrip(report, scaleOf(report))}
<div class="scroll" id="drawing"><div class="drawing" data-from="${scaleOf(report).fromMs}" data-ms="${lengthOf(report)}">
${timelineRows(report)}</div></div>
${legend()}
<div id="detail" class="script-only" role="status" hidden>Hover, or use the arrow keys, for details. The tables below have the same facts.</div>
</figure>
</section>
`

const lengthOf = (report: ReportDocument): number => scaleOf(report).toMs - scaleOf(report).fromMs

const legend = (): Markup => html`<ul class="legend">
${item(html`<rect width="22" height="12" ${fillOf('leave')}/><rect width="3" height="12" ${fillOf('text')}/>`, 'leave: record, cordon, detach')}
${item(html`<rect width="22" height="12" ${fillOf('drain')}/><rect width="22" height="12" ${patternOf('dots')}/>`, 'drain')}
${item(html`<rect width="22" height="12" ${fillOf('away')}/>`, 'away: reboot, proof')}
${item(html`<rect width="22" height="12" ${fillOf('return')}/><rect x="19" width="3" height="12" ${fillOf('text')}/>`, 'return: uncordon, settle, attach')}
${item(html`<rect x="0.5" y="0.5" width="21" height="11" fill="none" ${strokeOf('outline')} stroke-dasharray="3 2"/>`, 'slot, soak')}
${item(html`<rect width="22" height="12" ${patternOf('hatch')}/>`, 'held')}
${item(html`<rect y="5" width="22" height="2" ${fillOf('return')}/>`, 'balancer: ready')}
${item(html`<rect y="6" width="22" height="3" ${fillOf('leave')}/>`, 'balancer: DRAIN')}
${item(html`<rect y="3" width="22" height="6" ${fillOf('away')}/>`, 'balancer: MAINT')}
${item(html`<rect x="7" width="8" height="12" ${fillOf('fail')}/><rect width="7" height="12" ${patternOf('hatch-fail')}/><rect x="15" width="7" height="12" ${patternOf('hatch-fail')}/>`, 'failed; hatched: between the last good and the first bad, not known')}
${item(html`<line x1="0" x2="22" y1="6" y2="6" ${strokeOf('return')} stroke-width="2" stroke-dasharray="6 2"/>`, 'latency: p50')}
${item(html`<rect y="5" width="22" height="2" ${fillOf('text')}/>`, 'latency: p99')}
${item(html`<rect y="5" width="22" height="2" ${fillOf('outline')}/>`, 'latency: max')}
${item(html`<path d="M6 1H16L11 10Z" ${fillOf('fail')}/>`, 'stray')}
${item(html`<rect width="22" height="12" ${patternOf('gap')}/>`, 'not measured')}
${item(html`<rect x="8" width="3" height="8" ${fillOf('outline')}/>`, 'with a gap at its foot: drawn wider than it lasted')}
</ul>`

const item = (shape: Markup, text: string): Markup =>
  html`<li><svg width="22" height="12" aria-hidden="true" focusable="false">${shape}</svg> ${text}</li>`
