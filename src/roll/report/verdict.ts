import { formatDuration } from '../../ground/model/duration.ts'
import { countOf, countText } from '../../ground/text/count-text.ts'
import { boundsText } from '../../ground/text/time-text.ts'
import { fewerThan, shareText } from '../decide/availability/confidence.ts'
import { CAUGHT_UP_MS } from '../decide/availability/schedule.ts'
import { downtimeOf } from './downtime.ts'
import type { ReportDocument } from './report-document.ts'
import { movesText } from './view/pod-moves.ts'

interface Fact {
  readonly name: string
  readonly value: string
}

const WORDS: Readonly<Record<ReportDocument['outcome'], string>> = {
  completed: 'DONE',
  stopped: 'STOPPED',
  aborted: 'ABORTED',
  held: 'HELD',
  interrupted: 'INTERRUPTED',
  running: 'NOT ENDED',
}

/** Easy to grep for; first on the page. */
export const outcomeWord = ({ outcome }: ReportDocument): string => WORDS[outcome]

/** `0 failed of 187,200`. */
export const failedOfSent = (report: ReportDocument): string =>
  report.load === null
    ? 'not measured'
    : `${countText(report.failedRequests)} failed of ${countText(report.sentRequests)}`

/** `0 failed of 187,200, prod-eu1, 2026-11-21`; preceded by the outcome where the roll did not complete. */
export function reportTitle(report: ReportDocument): string {
  const word = report.outcome === 'completed' ? [] : [outcomeWord(report)]
  return [...word, failedOfSent(report), report.cluster, (report.startedAt ?? report.lastAt).slice(0, 10)].join(', ')
}

/** What happened, in one sentence: `3 of 3 nodes rolled in 10 min; 0 failed of 60,500 requests`. */
export function outcomeSentence(report: ReportDocument): string {
  const { rolled, load } = verdictParts(report)
  return `${rolled}; ${load}`
}

/** Why it ended so, in one sentence. */
export function whyOf(report: ReportDocument): string {
  const first = report.reasons[0]?.text
  if (report.outcome === 'running') return 'The roll has not ended.'
  if (report.outcome === 'interrupted' && report.exitCode === null)
    return 'Its process is gone; the roll has not ended.'
  if (first !== undefined && report.outcome !== 'completed') return `Reason: ${first}.`
  if (report.outcome !== 'completed') return 'The journal gives no reason.'
  if (report.load === null)
    return 'Every node came back with its proof. No request was sent, so availability is not known.'
  return report.failedRequests === 0
    ? 'Every node came back with its proof, and no request failed.'
    : 'Every node came back with its proof.'
}

interface VerdictParts {
  readonly rolled: string
  readonly load: string
}

function verdictParts(report: ReportDocument): VerdictParts {
  const done = report.nodes.filter(({ standing }) => standing?.state === 'inService').length
  const nodes = `${done} of ${countOf(report.nodes.length, 'node')}`
  const took = tookMs(report) === undefined ? '' : ` in ${formatDuration(tookMs(report) ?? 0)}`
  const excused = report.excusedRequests === 0 ? '' : `, ${countText(report.excusedRequests)} more not counted`
  const retried = report.retriedRequests === 0 ? '' : `, ${countText(report.retriedRequests)} retried`
  const load = report.load === null ? 'nothing was measured' : `${failedOfSent(report)} requests${excused}${retried}`
  return { rolled: report.outcome === 'completed' ? `${nodes} rolled${took}` : `after ${nodes}${took}`, load }
}

/** The whole verdict in one sentence. */
export function verdictSentence(report: ReportDocument): string {
  const { rolled, load } = verdictParts(report)
  const first = report.reasons[0]?.text
  return `${rolled}${first === undefined || report.outcome === 'completed' ? '' : `: ${first}`}; ${load}`
}

function tookMs({ startedAt, lastAt }: ReportDocument): number | undefined {
  return startedAt === null ? undefined : Date.parse(lastAt) - Date.parse(startedAt)
}

export function verdictFacts(report: ReportDocument): readonly Fact[] {
  const took = tookMs(report)
  const strays = report.strays.reduce((sum, { count }) => sum + count, 0)
  return [
    { name: 'Failed requests', value: failedText(report) },
    ...(report.excusedRequests === 0
      ? []
      : [
          {
            name: 'Not counted',
            value: `${countText(report.excusedRequests)} failed while a control target failed too`,
          },
        ]),
    ...(report.retriedRequests === 0
      ? []
      : [
          {
            name: 'Retried',
            value: `${countText(report.retriedRequests)}: the server had closed their kept connection before it answered; the second result counts`,
          },
        ]),
    ...(['new', 'kept'] as const).map((lane) => ({
      name: `Failed, ${lane} connections`,
      value: laneText(report, lane),
    })),
    { name: 'Downtime', value: downtimeText(report) },
    { name: 'Strays', value: countText(strays) },
    ...(report.podsMoved === 0 ? [] : [{ name: 'Moves', value: movesText(report) }]),
    { name: 'Longest hold', value: longestHoldText(report) },
    { name: 'Time', value: took === undefined ? '?' : formatDuration(took) },
  ]
}

function failedText(report: ReportDocument): string {
  const { load, failedRequests, excusedRequests, sentRequests, failedInReloads } = report
  if (load === null) return 'not measured'
  const share =
    failedRequests === 0
      ? `fewer than ${fewerThan(sentRequests - excusedRequests)} (95 %)`
      : `${shareText(failedRequests, sentRequests)}${failedInReloads === 0 ? '' : `, ${countText(failedInReloads)} in reloads of a balancer`}`
  return `${countText(failedRequests)} of ${countText(sentRequests)}; ${share}`
}

function laneText({ load, windows }: ReportDocument, lane: string): string {
  if (load === null) return 'not measured'
  const failed = windows.filter((window) => window.lane === lane).reduce((sum, window) => sum + countedIn(window), 0)
  return countText(failed)
}

const countedIn = ({ failed, excused, excusedRequests }: ReportDocument['windows'][number]): number =>
  excused ? 0 : failed - excusedRequests

function downtimeText(report: ReportDocument): string {
  if (report.load === null) return 'not measured'
  const windows = report.windows.filter(({ excused }) => !excused)
  if (windows.length === 0) {
    return report.failedRequests === 0 ? `none seen; ${smallestOutageText(report)}` : '?'
  }
  const { lowMs, highMs } = downtimeOf(windows)
  return boundsText(lowMs, highMs ?? undefined)
}

/** `an outage under 50 ms can be missed`. */
export const smallestOutageText = ({ ratePerSecond }: ReportDocument): string =>
  ratePerSecond === 0
    ? 'how short an outage can be missed is not known'
    : `an outage under ${formatDuration(Math.max(1000 / ratePerSecond, CAUGHT_UP_MS))} can be missed`

function longestHoldText(report: ReportDocument): string {
  const holds = report.nodes.flatMap((node) =>
    node.steps.flatMap(({ step, holds }) =>
      holds.map((hold) => ({
        ms: Date.parse(hold.endedAt ?? report.lastAt) - Date.parse(hold.startedAt),
        where: `${node.name}, ${step}`,
        why: hold.reasons[0]?.text,
      })),
    ),
  )
  const longest = holds.toSorted((a, b) => b.ms - a.ms)[0]
  if (longest === undefined) return 'none'
  return `${formatDuration(longest.ms)}: ${longest.where}${longest.why === undefined ? '' : `, ${longest.why}`}`
}
