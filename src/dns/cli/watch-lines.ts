import { formatDuration } from '../../ground/model/duration.ts'
import { countOf } from '../../ground/text/count-text.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import { padCells } from '../../ground/text/terminal/style.ts'
import { timeText } from '../../ground/text/time-text.ts'
import { CAUSES } from '../decide/causes.ts'
import type { DnsStatus, LastCheck } from '../run/dns-metrics.ts'
import { findingTexts, illPairs, pairsText, verdictTone } from './finding-text.ts'

const FINDINGS_MAX = 3
const VERDICT_CELLS = 'UNVERIFIED'.length

/** One change: the time, the verdict, the findings that began and ended. If the state is unknown, the reason. */
export function changeLines({ last, changes }: DnsStatus): readonly Line[] {
  if (last === undefined) return []
  const over = pairsText(illPairs(changes.at(-1)?.went ?? []))
  const notes = last.verdict === 'unverified' ? last.notes : []
  return [
    [...beginning(last), `${nowText(last)}${over === '' ? '' : `; no longer ${over}`}`],
    ...notes.map((note): Line => [`    ${note}`]),
  ]
}

/** The line that says that nothing has changed. */
export function heartbeatLine({ last, checks, failures }: DnsStatus): Line {
  if (last === undefined) return []
  const failed = failures === 0 ? '' : ` and ${failures} that failed`
  const lasts = formatDuration(Math.max(0, last.at - last.since))
  return [...beginning(last), `for ${lasts}, since ${timeText(last.since)}; ${countOf(checks, 'check')}${failed}`]
}

const beginning = ({ at, verdict }: LastCheck): Line => [
  `${timeText(at)}  `,
  { text: padCells(verdict.toUpperCase(), VERDICT_CELLS), tone: verdictTone(verdict) },
  '  ',
]

function nowText({ findings, trouble }: LastCheck): string {
  if (trouble !== undefined) return `the check could not be made: ${trouble}`
  const texts = findingTexts(findings)
  const shown = texts
    .slice(0, FINDINGS_MAX)
    .map(({ code, about }) => `${about === '' ? code : `${code} ${about}`}: ${CAUSES[code].is}`)
  const rest = texts.length - shown.length
  return [...shown, ...(rest === 0 ? [] : [`and ${countOf(rest, 'more finding')}`])].join('; ')
}
