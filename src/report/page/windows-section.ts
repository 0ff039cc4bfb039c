import { causeText, windowClassText } from '../../cli/roll/window-text.ts'
import { countText } from '../../cli/text/count-text.ts'
import { boundsText, preciseTimeText } from '../../cli/text/time-text.ts'
import { shareText } from '../../core/availability/confidence.ts'
import { html, type Markup } from '../markup.ts'
import type { ReportDocument, ReportWindow } from '../report-document.ts'
import { windowDrawing } from '../timeline/window-drawing.ts'
import { smallestOutageText } from '../verdict.ts'

export function windowsSection(report: ReportDocument): Markup {
  const { windows } = report
  return html`<section id="windows" aria-labelledby="windows-heading"><h2 id="windows-heading">Failure windows</h2>
${windows.length === 0 ? html`<p>${noneText(report)}</p>` : windows.map((window, index) => windowCard(window, index + 1, report))}
</section>
`
}

function noneText(report: ReportDocument): string {
  if (report.load === null) return 'Nothing was measured.'
  if (report.failedRequests > 0)
    return 'Requests failed, but the journal has no window for them: only their number is known.'
  return `None: no request of ${countText(report.sentRequests)} failed; ${smallestOutageText(report)}.`
}

function windowCard(window: ReportWindow, number: number, report: ReportDocument): Markup {
  return html`<article class="card" id="window-${number}"><h3>Window ${number}: ${countText(window.failed)} of ${countText(window.sent)} failed in ${boundsText(window.lowMs, window.highMs ?? undefined)}</h3>
<dl>
${factsOf(window).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
<figure aria-label="Window ${number}, enlarged"><div class="scroll"><div class="drawing small">
${windowDrawing(window, report)}</div></div></figure>
<p class="script-only" hidden><a href="#timeline" data-window="${number}">show in the timeline</a></p>
</article>
`
}

function factsOf(window: ReportWindow): readonly (readonly [string, string | Markup])[] {
  const { lastOkAt, firstBadAt, lastBadAt, firstOkAt, blame, reloads, servedBefore, servedAfter } = window
  return [
    ['target', window.target],
    ['what', windowClassText({ window })],
    ['share', shareText(window.failed, window.sent)],
    ['first error', html`<code>${window.firstError}</code>`],
    [
      'edges',
      `last good ${edge(lastOkAt)}; bad ${edge(firstBadAt)} to ${edge(lastBadAt)}; first good ${edge(firstOkAt)}`,
    ],
    ['served by', `before ${servedBefore ?? '?'}; after ${servedAfter ?? '?'}`],
    ['cause', causeText(window)],
    ...(blame.length < 2
      ? []
      : [['steps by rank', blame.map(({ node, step, rank }) => `${rank}. ${node}, ${step}`).join('; ')] as const]),
    ...reloads.map(
      ({ instance, servers, from, seenAt, to }) =>
        [
          'reload',
          `${instance}, between ${edge(from)} and ${edge(seenAt)}; in service again by it: ${servers.join(', ') || 'none of ours'}; out again ${edge(to)}`,
        ] as const,
    ),
    ...countedFact(window),
  ]
}

function countedFact({ excused, excusedRequests, failed }: ReportWindow): readonly (readonly [string, string])[] {
  if (excused) return [['counted', 'no: a control target did not answer either, so the prober is to blame']]
  if (excusedRequests === 0) return []
  const counted = `${countText(failed - excusedRequests)} of ${countText(failed)}`
  return [['counted', `${counted}: a control target did not answer either while the others failed`]]
}

const edge = (at: string | null): string => (at === null ? 'not seen' : preciseTimeText(Date.parse(at)))
