import { countOf, countText } from '../../../ground/text/count-text.ts'
import { boundsText, preciseTimeText } from '../../../ground/text/time-text.ts'
import { shareText } from '../../decide/availability/confidence.ts'
import type { OutageDocument } from '../document/outages.ts'
import { html, type Markup } from '../markup.ts'
import type { ReportDocument } from '../report-document.ts'
import { windowDrawing } from '../timeline/window-drawing.ts'
import { smallestOutageText } from '../verdict.ts'
import { causeText, failureTexts } from '../view/window-text.ts'

/** Each drawing takes some ten kilobytes; a table has the same facts for the rest. */
const DRAWN_MAX = 20

export function windowsSection(report: ReportDocument): Markup {
  const { outages } = report
  const cards = outages.slice(0, DRAWN_MAX).map((outage, index) => windowCard(outage, index + 1, report))
  const rest = outages.slice(DRAWN_MAX)
  return html`<section id="windows" aria-labelledby="windows-heading"><h2 id="windows-heading">Failure windows</h2>
${outages.length === 0 ? html`<p>${noneText(report)}</p>` : html`<p>A failure window is the time from the first to the last failed request. Windows of new and kept connections that overlap are one.</p>${cards}`}
${rest.length === 0 ? '' : restTable(rest)}</section>
`
}

function noneText(report: ReportDocument): string {
  if (report.load === null) return 'Nothing was measured.'
  if (report.failedRequests > 0)
    return 'Requests failed, but the journal has no window for them: only their number is known.'
  return `No request of ${countText(report.sentRequests)} failed; ${smallestOutageText(report)}.`
}

const titleOf = (outage: OutageDocument): string =>
  `${countText(outage.failed)} of ${countText(outage.sent)} failed in ${boundsText(outage.lowMs, outage.highMs ?? undefined)}`

function windowCard(outage: OutageDocument, number: number, report: ReportDocument): Markup {
  return html`<article class="card" id="window-${number}"><h3>Window ${number}: ${titleOf(outage)}</h3>
<dl>
${factsOf(outage, report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
<figure aria-label="Window ${number}, enlarged"><div class="scroll"><div class="drawing small">
${windowDrawing(outage, report)}</div></div></figure>
<p class="script-only" hidden><a href="#timeline" data-window="${number}">Show window ${number} in the timeline</a></p>
</article>
`
}

function restTable(rest: readonly OutageDocument[]): Markup {
  return html`<div class="wide-box" tabindex="0" role="group" aria-label="More failure windows"><table><caption>${countOf(rest.length, 'more window')}, without a drawing</caption>
<thead><tr>${['window', 'from', 'failed', 'length', 'connections', 'error', 'first error', 'cause'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rest.map(restRow)}</tbody></table></div>
`
}

function restRow(outage: OutageDocument, index: number): Markup {
  const number = DRAWN_MAX + index + 1
  return html`<tr id="window-${number}"><th scope="row">${number}</th><td>${edge(outage.firstBadAt)}</td><td>${countText(outage.failed)} of ${countText(outage.sent)}</td><td>${boundsText(outage.lowMs, outage.highMs ?? undefined)}</td><td>${outage.lanes.join(' and ')}</td><td>${failureTexts(outage.failures).join(', ')}</td><td><code>${outage.firstError}</code></td><td>${causeOf(outage)}</td></tr>
`
}

const causeOf = (outage: OutageDocument): string =>
  outage.excused ? 'a control target failed too: not counted' : causeText(outage)

type Fact = readonly [name: string, value: string | Markup]

function factsOf(outage: OutageDocument, report: ReportDocument): readonly Fact[] {
  const { lastOkAt, firstBadAt, lastBadAt, firstOkAt, blame, reloads } = outage
  return [
    ['target', outage.target],
    ...laneFacts(outage, report),
    ['errors', failureTexts(outage.failures).join(', ')],
    ['first error', html`<code>${outage.firstError}</code>`],
    [
      'time',
      `last good request ${edge(lastOkAt)}; failed ${edge(firstBadAt)} to ${edge(lastBadAt)}; first good request ${edge(firstOkAt)}`,
    ],
    ['cause', causeText(outage)],
    ...(blame.length < 2
      ? []
      : [['steps by rank', blame.map(({ node, step, rank }) => `${rank}. ${node}, ${step}`).join('; ')] as const]),
    ...reloads.map(
      ({ instance, servers, from, seenAt, to, away }) =>
        [
          away === undefined ? 'reload' : 'no process',
          `${away ?? instance}, between ${edge(from)} and ${edge(seenAt)}; in service again by it: ${servers.join(', ') || 'no server of this roll'}; out again ${edge(to)}`,
        ] as const,
    ),
    ...countedFact(outage),
  ]
}

/** What each lane saw, and which node answered before and after it. */
const laneFacts = ({ windows }: OutageDocument, report: ReportDocument): readonly Fact[] =>
  windows.flatMap((place) => {
    const window = report.windows[place]
    if (window === undefined) return []
    const { lane, failed, sent, servedBefore, servedAfter } = window
    const text = `${countText(failed)} of ${countText(sent)} failed (${shareText(failed, sent)}); served before by ${servedBefore ?? '?'}, after by ${servedAfter ?? '?'}`
    return [[`${lane} connections`, text] as const]
  })

function countedFact({ excused, excusedRequests, failed }: OutageDocument): readonly Fact[] {
  if (excused) return [['counted', 'no: a control target did not answer either, so the prober is the cause']]
  if (excusedRequests === 0) return []
  const counted = `${countText(failed - excusedRequests)} of ${countText(failed)}`
  return [['counted', `${counted}: a control target did not answer either while the others failed`]]
}

const edge = (at: string | null): string => (at === null ? 'not seen' : preciseTimeText(Date.parse(at)))
