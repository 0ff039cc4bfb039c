import type { OutLimit } from '../../../ground/model/out-limit.ts'

/**
 * How many nodes of a fleet may be out.
 *
 * Law: of several nodes one at least may be out, and never all.
 */
export function maxOut(limit: OutLimit, fleet: number): number {
  const asked = limit.kind === 'count' ? limit.count : Math.floor((fleet * limit.percent) / 100)
  return Math.min(Math.max(1, asked), Math.max(1, fleet - 1))
}
