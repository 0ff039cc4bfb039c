import type { Reason } from '../../../ground/model/reason.ts'

/** The first reason, and how many more there are. */
export function reasonsText(reasons: readonly Reason[]): string {
  const [first, ...more] = reasons
  if (first === undefined) return 'no reason given'
  return more.length === 0
    ? first.text
    : `${first.text} (and ${more.length} more ${more.length === 1 ? 'reason' : 'reasons'})`
}
