import { formatDuration } from '../../ground/model/duration.ts'
import { countOf, countText } from '../../ground/text/count-text.ts'
import { type Line, padCells, type Style } from '../../ground/text/terminal/style.ts'
import type { TerminalSize } from '../../ground/text/terminal/text-sink.ts'
import { timeText } from '../../ground/text/time-text.ts'
import { CAUSES } from '../decide/causes.ts'
import type { DnsChange, DnsStatus, LastCheck } from '../run/dns-metrics.ts'
import { findingTexts, illPairs, pairsText, verdictTone } from './finding-text.ts'
import { watchTable } from './watch-table.ts'

interface WatchShow {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly size: TerminalSize
  readonly style: Style
  readonly intervalMs: number
}

const TINY_CELLS = 40
const TINY_ROWS = 10
const TABLE_MIN = 4
/** The numbers of findings and changes to show, from most to least. */
const BELOW: readonly (readonly [findings: number, changes: number])[] = [
  [4, 4],
  [3, 2],
  [2, 1],
  [1, 0],
]

/** What is shown until the first check is over. */
export const BEFORE_FIRST: readonly Line[] = [['checks DNS for the first time']]

/** The whole screen: the verdict, a row for each path, what is wrong now, and what changed last. Fits what `size` says. */
export function watchScreen(status: DnsStatus, show: WatchShow): readonly Line[] {
  const { size, now } = show
  const { last } = status
  if (last === undefined) return BEFORE_FIRST
  if (size.columns < TINY_CELLS || size.rows < TINY_ROWS) return [tinyLine(last, now)]
  // The cursor needs one line.
  const lines = size.rows - 1
  const head = headLines(status, last, show)
  const choices = BELOW.map(([findings, changes]) => [
    ...block(findingLines(last, findings)),
    ...block(changeLines(status.changes, changes)),
  ])
  const tableWants = Math.min(TABLE_MIN, status.paths.length + 1)
  const below = choices.find((some) => lines - head.length - 1 - some.length >= tableWants) ?? choices.at(-1) ?? []
  const room = { cells: size.columns - 1, lines: lines - head.length - 1 - below.length, style: show.style }
  return [...head, ...block(watchTable(status.paths, room)), ...below].slice(0, lines)
}

const block = (lines: readonly Line[]): readonly Line[] => (lines.length === 0 ? [] : [[], ...lines])

const verdictPiece = ({ verdict }: Pick<LastCheck, 'verdict'>) => ({
  text: verdict.toUpperCase(),
  tone: verdictTone(verdict),
})

function tinyLine(last: LastCheck, now: number): Line {
  const wrong =
    last.trouble ??
    findingTexts(last.findings)
      .map(({ code }) => code)
      .join(', ')
  return [verdictPiece(last), ` ${ageText(now - last.since)}: ${wrong}`]
}

/** In whole seconds, since the screen is redrawn each second. */
function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return seconds === 0 ? '0 s' : formatDuration(seconds * 1_000)
}

function headLines(
  { checks, failures, service }: DnsStatus,
  last: LastCheck,
  { now, intervalMs }: WatchShow,
): readonly Line[] {
  const failed = failures === 0 ? '' : ` and ${failures} that failed`
  const cost = checks === 0 ? '' : `${countText(last.queries)} queries in `
  const of = service === undefined ? '' : `: DNS of Service ${service}`
  return [
    [verdictPiece(last), `  for ${ageText(now - last.since)}, since ${timeText(last.since)}${of}`],
    [
      `${countOf(checks, 'check')}${failed}, every ${formatDuration(intervalMs)}; ${cost}the last, ${ageText(now - last.at)} ago`,
    ],
  ]
}

function findingLines({ verdict, findings, notes, trouble }: LastCheck, most: number): readonly Line[] {
  if (trouble !== undefined) return [[{ text: 'the check could not be made', tone: 'hold' }, `: ${trouble}`]]
  const texts = findingTexts(findings)
  const shown = texts.length > most ? texts.slice(0, Math.max(1, most - 1)) : texts
  const rest = texts.length - shown.length
  return [
    ...shown.map(({ code, about }): Line => {
      const cause = CAUSES[code]
      return [
        { text: code, tone: verdictTone(cause.verdict) },
        about === '' ? `: ${cause.is}` : ` ${about}: ${cause.is}`,
      ]
    }),
    ...(rest === 0 || most < 2 ? [] : [[`and ${countOf(rest, 'more finding')}`]]),
    ...(verdict === 'unverified' ? notes.slice(0, most - 1).map((note): Line => [`  ${note}`]) : []),
  ]
}

/** The newest first. */
function changeLines(changes: readonly DnsChange[], most: number): readonly Line[] {
  const shown = (most === 0 ? [] : changes.slice(-most)).toReversed()
  const cells = Math.max(0, ...shown.map(({ verdict }) => verdict.length))
  return shown.map((change) => {
    const { text, tone } = verdictPiece(change)
    return [`${timeText(change.at)}  `, { text: padCells(text, cells), tone }, `  ${changeText(change)}`]
  })
}

function changeText({ came, went, trouble }: DnsChange): string {
  if (trouble !== undefined) return trouble
  const [isNew, isOver] = [pairsText(illPairs(came)), pairsText(illPairs(went))]
  const over = isOver === '' ? [] : [`no longer ${isOver}`]
  const text = [...(isNew === '' ? [] : [isNew]), ...over].join('; ')
  return text === '' ? pairsText(came) : text
}
