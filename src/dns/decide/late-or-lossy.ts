import type { DnsOutcome } from '../model/dns.ts'
import type { LossCount } from './chances.ts'

/** What a path is that answered no query, or lost many, once it was given more time. */
type MoreTime =
  | { readonly kind: 'late'; readonly afterMs: number }
  /** Some of these queries were answered in time. */
  | ({ readonly kind: 'lossy' } & LossCount)
  | { readonly kind: 'silent' }

/**
 * Late answers explain more than loss does if more of them came than got none. Something on the way may drop one of the questions alone: of a
 * question that was never answered nothing counts.
 */
export function lateOrLossy(ofQuestions: readonly (readonly DnsOutcome[])[], timeoutMs: number): MoreTime {
  const counted = ofQuestions.filter((outcomes) => outcomes.some(({ kind }) => kind === 'reply')).flat()
  if (counted.length === 0) return { kind: 'silent' }
  const tookMs = counted.flatMap((outcome) => (outcome.kind === 'reply' ? outcome.afterMs : []))
  const late = tookMs.filter((ms) => ms >= timeoutMs)
  const lost = counted.filter(({ kind }) => kind !== 'reply' && kind !== 'notAsked').length
  if (late.length > lost) return { kind: 'late', afterMs: Math.round(Math.max(...late)) }
  return { kind: 'lossy', asked: lost + tookMs.length, lost: lost + late.length }
}
