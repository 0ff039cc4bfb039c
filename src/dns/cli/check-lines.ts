import { formatDuration } from '../../ground/model/duration.ts'
import { countOf, countText } from '../../ground/text/count-text.ts'
import { tableLines } from '../../ground/text/table-lines.ts'
import type { Line, Tone } from '../../ground/text/terminal/style.ts'
import { CAUSES } from '../decide/causes.ts'
import type { DnsFinding } from '../decide/diagnosis/finding.ts'
import type { PathReading } from '../decide/path-reading.ts'
import { type DnsScene, targetName } from '../decide/scene.ts'
import type { DnsVerdict } from '../decide/verdict.ts'
import type { DnsCheck } from '../run/check-dns.ts'

const TONES: Readonly<Record<DnsVerdict, Tone>> = {
  ok: 'work',
  observed: 'work',
  degraded: 'hold',
  bad: 'stop',
  unverified: 'hold',
}

/**
 * The lines of a check for people. `isLong` adds each reading and how DNS was found. A check without a result shows the latter
 * anyway.
 */
export function checkLines(
  { scene, findings, verdict, notes, queries, queriesPerSecond, rounds, tookMs }: DnsCheck,
  isLong: boolean,
): readonly Line[] {
  const { namespace, name } = scene.service
  const took = `${countText(queries)} queries in ${countOf(rounds, 'round')}, ${formatDuration(tookMs)}`
  // With one place, the queries and the time say the rate.
  const cost = scene.vantages.length > 1 ? `${took}, at most ${countText(queriesPerSecond)}/s from one place` : took
  return [
    [
      { text: verdict.toUpperCase(), tone: TONES[verdict] },
      `  DNS of Service ${namespace}/${name}, queried from ${scene.vantages.map((one) => one.name).join(', ')} (${cost})`,
    ],
    [],
    ...pathTable(scene).map((line): Line => [line]),
    [],
    ...findingLines(findings, isLong),
    ...(isLong || verdict === 'unverified' ? notes.map((note): Line => [`  ${note}`]) : []),
  ]
}

/** One finding after the other: what is the case, for whom, why, and what to do. */
export const findingLines = (findings: readonly DnsFinding[], isLong: boolean): readonly Line[] =>
  findings.flatMap(({ code, subjects, evidence }): readonly Line[] => {
    const { verdict, is, cause, cure } = CAUSES[code]
    const about = subjects
      .filter(({ kind }) => kind !== 'cluster')
      .map(({ kind, name }) => `${kind} ${name}`)
      .join(', ')
    const head: Line = [{ text: code, tone: TONES[verdict] }, about === '' ? `: ${is}` : ` ${about}: ${is}`]
    const why = (isLong ? evidence : evidence.slice(0, 1)).map((line): Line => [`    ${line}`])
    if (verdict === 'ok') return [head, ...why]
    return [head, ...why, [`  cause: ${cause}`], [`  cure:  ${cure}`]]
  })

function pathTable(scene: DnsScene): readonly string[] {
  const columns = [
    { title: 'FROM', align: 'left' },
    { title: 'TO', align: 'left' },
    { title: 'NODE', align: 'left' },
    { title: 'UDP', align: 'left' },
    { title: 'TCP', align: 'left' },
    { title: 'ANSWERS', align: 'left' },
    { title: 'LOST', align: 'right' },
    { title: 'MEDIAN', align: 'right' },
  ] as const
  const rows = scene.paths.map(({ vantage, target, reading, canary }) => {
    const pod = scene.pods.find(({ name }) => target.kind === 'pod' && name === target.name)
    const counted = reading.udp === 'notAsked' ? pod?.udpSeen?.state : undefined
    const word = counted ?? UDP_WORDS[reading.udp]
    const udp = canary === 'silent' ? `${word}, one port silent` : word
    const median = reading.medianMs === undefined ? '' : `${reading.medianMs.toFixed(1)} ms`
    const answers = reading.upstream === 'fails' ? `${DATA_WORDS[reading.data]}, not outside` : DATA_WORDS[reading.data]
    return [
      vantage,
      `${target.kind} ${targetName(target)}`,
      pod?.node ?? '',
      udp,
      TCP_WORDS[reading.tcp],
      answers,
      `${reading.lost} of ${reading.asked}`,
      median,
    ]
  })
  return rows.length === 0 ? [] : tableLines(columns, rows)
}

export const UDP_WORDS: Readonly<Record<PathReading['udp'], string>> = {
  answers: 'answers',
  loses: 'loses',
  silent: 'silent',
  notAsked: 'not asked',
}
export const TCP_WORDS: Readonly<Record<PathReading['tcp'], string>> = {
  answers: 'answers',
  silent: 'silent',
  notAsked: 'not asked',
}
export const DATA_WORDS: Readonly<Record<PathReading['data'], string>> = {
  right: 'right',
  stale: 'stale',
  unsynced: 'nothing listed',
  noKubernetes: 'no cluster zone',
  wrongZone: 'another zone',
  wrongAnswer: 'wrong',
  refused: 'refused',
  unanswered: 'nothing of the zone',
  unknown: '',
}
