import {
  isHeldAt,
  type KuredDaemonSet,
  LOCK_TTL_MS,
  lockHoldings,
  lockOwner,
  lockWithout,
  newLock,
} from '../../../ground/model/kured-lock.ts'
import type { WallMs } from '../../../ground/model/time.ts'

interface Asking {
  readonly run: string
  readonly wall: WallMs
  /** Whether the run needs the lock from now on. */
  readonly isWanted: boolean
}

/**
 * - missing: there is no such DaemonSet · none: not wanted, and not ours
 * - held: by others · ours: and fresh for that long
 * - write: the lock to write; null: it is removed
 */
export type LockMove =
  | { readonly kind: 'missing' | 'none' }
  | { readonly kind: 'held'; readonly by: readonly string[] }
  | { readonly kind: 'ours'; readonly freshForMs: number }
  | { readonly kind: 'write'; readonly what: 'take' | 'renew' | 'release'; readonly lock: string | null }

/** The lock is renewed at a third of its time: two thirds are left for an API server that is away, and for clocks that differ. */
export const LOCK_FRESH_MS = LOCK_TTL_MS / 3

/** With more holders kured's own list would be longer than an annotation ought to be. */
const CONCURRENCY_MAX = 100

/**
 * What to do about the lock that is in the DaemonSet now.
 *
 * Law: a lock of kured that another holds and that has not ended is never overwritten.
 */
export function lockMove(seen: KuredDaemonSet | undefined, { run, wall, isWanted }: Asking): LockMove {
  if (seen === undefined) return { kind: 'missing' }
  const holdings = seen.lock === undefined ? [] : lockHoldings(seen.lock)
  if (holdings === undefined) return isWanted ? { kind: 'held', by: ['a node that the lock does not name'] } : NONE
  const ours = holdings.filter(({ owner }) => owner === lockOwner(run))
  if (!isWanted)
    return ours.length === 0 ? NONE : { kind: 'write', what: 'release', lock: lockWithout(seen.lock ?? '', run) }
  const others = holdings.filter((one) => one.owner !== lockOwner(run) && isHeldAt(one, wall))
  if (others.length > 0) return { kind: 'held', by: others.map(({ owner }) => owner) }
  const concurrency = Math.min(seen.concurrency, CONCURRENCY_MAX)
  const leftMs = Math.min(...ours.map(({ endsAt = wall }) => endsAt - wall))
  const freshForMs = leftMs - LOCK_TTL_MS + LOCK_FRESH_MS
  if (ours.length >= concurrency && freshForMs > 0 && leftMs <= LOCK_TTL_MS) return { kind: 'ours', freshForMs }
  const lock = newLock({ run, wall, concurrency })
  return { kind: 'write', what: ours.length === 0 ? 'take' : 'renew', lock }
}

const NONE: LockMove = { kind: 'none' }
