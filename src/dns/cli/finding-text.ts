import type { Tone } from '../../ground/text/terminal/style.ts'
import { CAUSES, type CauseCode } from '../decide/causes.ts'
import type { DnsFinding, Subject } from '../decide/diagnosis/finding.ts'
import type { DnsVerdict } from '../decide/verdict.ts'
import type { FindingOf } from '../run/dns-metrics.ts'

const SUBJECTS_MAX = 3

export const verdictTone = (verdict: DnsVerdict): Tone =>
  verdict === 'ok' ? 'work' : verdict === 'bad' ? 'stop' : 'hold'

interface FindingText {
  readonly code: CauseCode
  /** `pod coredns-1, pod coredns-2 and 4 more`; empty if the finding is about the whole cluster. */
  readonly about: string
}

/** Findings of one code together, in the order in which they were found. */
export const findingTexts = (findings: readonly DnsFinding[]): readonly FindingText[] =>
  pairTexts(findings.flatMap(({ code, subjects }) => subjects.map((subject) => ({ code, subject }))))

function pairTexts(pairs: readonly FindingOf[]): readonly FindingText[] {
  return [...Map.groupBy(pairs, ({ code }) => code)].map(([code, of]) => ({
    code,
    about: aboutText(of.map(({ subject }) => subject)),
  }))
}

/** `UdpDead pod coredns-1, Loses pod coredns-2`. */
export const pairsText = (pairs: readonly FindingOf[]): string =>
  pairTexts(pairs)
    .map(({ code, about }) => (about === '' ? code : `${code} ${about}`))
    .join(', ')

/** The findings other than that all is well. */
export const illPairs = (pairs: readonly FindingOf[]): readonly FindingOf[] =>
  pairs.filter(({ code }) => CAUSES[code].verdict !== 'ok')

function aboutText(subjects: readonly Subject[]): string {
  const names = subjects.flatMap(({ kind, name }) => (kind === 'cluster' ? [] : [`${kind} ${name}`]))
  const shown = names.slice(0, SUBJECTS_MAX).join(', ')
  return names.length > SUBJECTS_MAX ? `${shown} and ${names.length - SUBJECTS_MAX} more` : shown
}
