import type { CordonLimit } from '../../model/cordon-limit.ts'

/** How many of a fleet may be out: one at least, and never all where there are several. */
export function maxOut(limit: CordonLimit, fleet: number): number {
  const asked = limit.kind === 'count' ? limit.count : Math.floor((fleet * limit.percent) / 100)
  return Math.min(Math.max(1, asked), Math.max(1, fleet - 1))
}
