import type { WallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { Store } from './store.ts'
import type { WatchCache } from './watch-cache.ts'

/** What the API's rules go by: the objects, a clock for stamps, chance for uids, and how late watches are. */
export interface World {
  readonly store: Store
  readonly clock: Pick<Clock, 'monoMs' | 'wallMs'>
  readonly random: Pick<Random, 'hex'>
  /** Absent: each commit is told at once. */
  readonly watches?: WatchCache
}

/** RFC 3339 with whole seconds, as `metav1.Time` is written. */
export const stampOf = (at: WallMs | number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

/** RFC 4122 in form. */
export function newUid({ random }: Pick<World, 'random'>): string {
  const hex = random.hex(16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
