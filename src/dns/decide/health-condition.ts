import type { Condition } from '../../ground/model/condition.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { CAUSES } from './causes.ts'
import type { DnsFinding, Subject } from './diagnosis/finding.ts'
import { type DnsVerdict, verdictOf } from './verdict.ts'

export const HEALTH_CONDITION = 'evenkeel.dev/DNSHealthy'

/** The condition without its times. */
export type DnsHealth = Pick<Condition, 'reason' | 'message'> & { readonly status: 'True' | 'False' | 'Unknown' }

const STATUS: Readonly<Record<DnsVerdict, DnsHealth['status']>> = {
  ok: 'True',
  // A pod answered queries of other clients. That does not prove that ours are answered.
  observed: 'Unknown',
  degraded: 'False',
  bad: 'False',
  unverified: 'Unknown',
}
/** More findings do not make the message clearer. */
const NAMED_MAX = 3
/** The length before escapes. Names of pods and nodes may take half of it. */
const MESSAGE_MAX = 500

/**
 * The first of the worst findings in one sentence, and the other findings in another. It leaves out what changes from check to
 * check while the fault is the same, such as counts of queries.
 */
export function healthOf(findings: readonly DnsFinding[]): DnsHealth {
  const verdict = verdictOf(findings)
  const first = findings.find(({ code }) => CAUSES[code].verdict === verdict)
  if (first === undefined) return unknownHealth('nothing was found')
  const about = subjectsText(first.subjects)
  const others = [...new Set(findings.map(({ code }) => code))].filter((code) => code !== first.code)
  const sentences = [
    `${about === '' ? '' : `${about}: `}${CAUSES[first.code].is}.`,
    ...(others.length === 0 ? [] : [`Beside it: ${others.join(', ')}.`]),
  ]
  return { status: STATUS[verdict], reason: first.code, message: fit(sentences.join(' ')) }
}

/** The condition while no check can be made. `why` is not a full sentence. */
export const unknownHealth = (why: string): DnsHealth => ({
  status: 'Unknown',
  reason: 'NotAsked',
  message: fit(`DNS could not be checked: ${why}.`),
})

function subjectsText(subjects: readonly Subject[]): string {
  const named = subjects.filter(({ kind }) => kind !== 'cluster').map(({ kind, name }) => `${kind} ${name}`)
  const more = named.length - NAMED_MAX
  return `${named.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const fit = (text: string): string => escapeForeign(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}`, MESSAGE_MAX)
