import { formatDuration, formatMinSec } from '../../ground/model/duration.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { countText } from '../../ground/text/count-text.ts'
import { boundsText, preciseTimeText } from '../../ground/text/time-text.ts'
import { shareText } from '../decide/availability/confidence.ts'
import type { OutageDocument } from './document/outages.ts'
import { probeText } from './document/settings-document.ts'
import { judgeText } from './judge-text.ts'
import { measurementLimits } from './measurement-limits.ts'
import { originFacts } from './origin-facts.ts'
import type { NodeDocument, ReportDocument } from './report-document.ts'
import { stopRules } from './stop-rules.ts'
import { outcomeWord, verdictFacts, verdictSentence } from './verdict.ts'
import { whyTexts } from './view/need-lines.ts'
import { causeText, failureTexts } from './view/window-text.ts'

/** The texts of the page for a ticket or a merge request: no drawing, and foreign text can never be markup. */
export function markdownReport(report: ReportDocument): string {
  const sections = [
    `# ${outcomeWord(report)} ${text(verdictSentence(report))}`,
    `${text(report.cluster)}, ${(report.startedAt ?? report.lastAt).slice(0, 10)}, run ${text(report.run)}`,
    markdownTable(['what', 'value'], rowsOf(verdictFacts(report))),
    listed('## Next', report.next),
    listed('## Reboots needed', whyTexts(report.needed ?? [])),
    listed('## Nodes skipped', whyTexts(report.skipped ?? [])),
    ...comparison(report),
    '## Failure windows',
    report.outages.length === 0 ? 'None in the journal.' : windowTable(report.outages),
    '## Nodes',
    nodeTable(report),
    listed(
      '## Holds',
      report.nodes.flatMap((node) => holdTexts(node, report)),
    ),
    listed(
      '## Warnings',
      report.warnings.map(({ at, node, text: said }) => `${at.slice(11, 19)}Z ${node ?? '-'}: ${said}`),
    ),
    '## Stop rules',
    markdownTable(
      ['rule', 'measured', 'limit', 'result'],
      stopRules(report).map(({ rule, measured, limit, state }) => [rule, measured, limit, state]),
    ),
    listed('## Limits of the measurement', measurementLimits(report)),
    ...evidence(report),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** Characters that Markdown or HTML could interpret get a backslash. */
const text = (foreign: string): string =>
  escapeForeign(foreign, 2000)
    .replace(/[\\`*_{}[\]<>#!|~&@]/g, '\\$&')
    .replace(/^[-+]|:(?=\/\/)/g, '\\$&')

const line = (cells: readonly string[]): string => `| ${cells.map(text).join(' | ')} |`

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), `|${head.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n')

const rowsOf = (facts: readonly { readonly name: string; readonly value: string }[]) =>
  facts.map(({ name, value }) => [name, value])

const listed = (heading: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `${heading}\n\n${items.map((item) => `- ${text(item)}`).join('\n')}`

function comparison(report: ReportDocument): readonly string[] {
  const { plans } = report
  if (plans.length === 0) return []
  const rows = plans.map((plan) => [
    plan.name,
    formatMinSec(plan.seconds * 1000),
    countText(plan.sentRequests),
    countText(plan.failedRequests),
    shareText(plan.failedRequests, plan.sentRequests),
    plan.failedRequests === 0 ? 'none seen' : boundsText(plan.downtimeMs.low, plan.downtimeMs.high ?? undefined),
    plan.strays === undefined ? '?' : countText(plan.strays),
    String(Number(plan.failedAt1Hz.toFixed(1))),
  ])
  return [
    '## Comparison',
    judgeText(report),
    markdownTable(['plan', 'time', 'sent', 'failed', 'share', 'downtime', 'strays', 'at 1/s'], rows),
  ]
}

const windowTable = (windows: readonly OutageDocument[]): string =>
  markdownTable(
    ['#', 'from', 'failed', 'of', 'length', 'connections', 'errors', 'first error', 'cause'],
    windows.map((window, index) => [
      String(index + 1),
      preciseTimeText(Date.parse(window.firstBadAt)),
      `${countText(window.failed)}${isPartly(window) ? ` (${countText(window.excusedRequests)} not counted)` : ''}`,
      countText(window.sent),
      boundsText(window.lowMs, window.highMs ?? undefined),
      window.lanes.join(' and '),
      failureTexts(window.failures).join(', '),
      window.firstError,
      window.excused ? 'a control target failed too: not counted' : causeText(window),
    ]),
  )

const isPartly = ({ excused, excusedRequests }: OutageDocument): boolean => !excused && excusedRequests > 0

const nodeTable = ({ nodes }: ReportDocument): string =>
  markdownTable(
    ['node', 'total', 'leave', 'drain', 'away', 'return', 'held', 'moved', 'failed', 'state'],
    nodes.map(({ name, times, podsMoved, standing }) => {
      const spans =
        times === null
          ? ['-', '-', '-', '-', '-', '-']
          : [
              ...[times.totalMs, times.leaveMs, times.drainMs, times.awayMs, times.returnMs].map((ms) =>
                formatMinSec(ms),
              ),
              times.heldMs === 0 ? '-' : formatMinSec(times.heldMs),
            ]
      const failed = standing === null ? '?' : countText(standing.failedRequests)
      return [
        name,
        ...spans,
        countText(podsMoved),
        failed,
        standing?.text ?? (times === null ? 'not begun' : 'under way'),
      ]
    }),
  )

const holdTexts = ({ name, steps }: NodeDocument, { lastAt }: ReportDocument): readonly string[] =>
  steps.flatMap(({ step, holds }) =>
    holds.map(({ startedAt, endedAt, reasons }) => {
      const ms = Date.parse(endedAt ?? lastAt) - Date.parse(startedAt)
      return `${name}, ${step}, ${startedAt.slice(11, 19)}Z, ${formatDuration(ms)}: ${reasons.map((reason) => reason.text).join('; ')}`
    }),
  )

function evidence(report: ReportDocument): readonly string[] {
  const { settings, journal } = report
  const facts = [
    ...originFacts(report).map(([name, value]) => (name === 'version' ? value : `${name} ${value}`)),
    ...(settings?.probes ?? []).map((probe) => `probe ${probe.name}, ${probe.url}, ${probeText(probe)}`),
    ...(journal === null ? [] : [`journal ${journal}`]),
  ]
  return facts.length === 0 ? [] : [listed('## Evidence', facts)]
}
