import type { Condition } from '../../ground/model/condition.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { CAUSES } from './causes.ts'
import type { Finding, Subject } from './diagnosis/finding.ts'
import { type DnsVerdict, verdictOf } from './verdict.ts'

export const HEALTH_CONDITION = 'evenkeel.dev/DNSHealthy'

/** What the condition says, apart from when. */
export type DnsHealth = Pick<Condition, 'reason' | 'message'> & { readonly status: 'True' | 'False' | 'Unknown' }

const STATUS: Readonly<Record<DnsVerdict, DnsHealth['status']>> = {
  ok: 'True',
  // Others' queries were answered: that is no proof of ours.
  observed: 'Unknown',
  degraded: 'False',
  bad: 'False',
  unverified: 'Unknown',
}
/** More of them make no message better. */
const NAMED_MAX = 3
/** Before escapes; names of pods and nodes may be as long as half of it. */
const MESSAGE_MAX = 500

/**
 * The first of the findings that are as bad as all of them together, in a sentence, and what else there is in another. It says nothing
 * that differs from check to check while the same is wrong, such as counts of queries.
 */
export function healthOf(findings: readonly Finding[]): DnsHealth {
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

/** Where no check can be made. `why`: no sentence of its own. */
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
