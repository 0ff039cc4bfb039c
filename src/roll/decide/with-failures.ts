import type { Reason } from '../../ground/model/reason.ts'
import type { Verdict } from '../model/verdict.ts'

/**
 * The verdict with the failures that are known now: a window grows, and the reload that it fell into may be seen later. The
 * same object where nothing is new.
 */
export function withFailures(verdict: Verdict, failures: readonly Reason[]): Verdict {
  const first = verdict.reasons.findIndex(isFailure)
  if (first < 0 || failures.length === 0) return verdict
  const others = verdict.reasons.filter((reason) => !isFailure(reason))
  const reasons = [...others.slice(0, first), ...failures, ...others.slice(first)]
  const same =
    reasons.length === verdict.reasons.length && reasons.every(({ text }, i) => text === verdict.reasons[i]?.text)
  return same ? verdict : { ...verdict, reasons }
}

const isFailure = ({ code }: Reason): boolean => code === 'RequestsFailed'
