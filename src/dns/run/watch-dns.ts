import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { DnsCheck } from './check-dns.ts'

/** Checks one after another, and what they leave in the cluster until they are closed. */
export interface WatchedDns {
  readonly random: Random
  /** Rejects as `DnsChecks` does. */
  next(signal: AbortSignal): Promise<DnsCheck>
  /** Resolves with what could not be taken away, a sentence each. */
  close(): Promise<readonly string[]>
}

/** Why a check could not be made. */
export interface CheckTrouble {
  readonly trouble: string
  readonly retryAfterMs?: number
}

interface WatchParts {
  readonly checks: Pick<WatchedDns, 'next' | 'random'>
  readonly clock: Clock
  /** From the beginning of one check to that of the next. */
  readonly intervalMs: number
  /** Absent: until aborted. */
  readonly forMs?: number
  readonly onSeen: (seen: DnsCheck | CheckTrouble) => void
}

/** Making relays takes up to 45 s; a round to a hundred silent pods takes as long. */
const CHECK_LIMIT_MS = 180_000
const LONGEST_PAUSE_MS = 60_000
/** Several watches that were started together do not ask together for long. */
const JITTER = 0.1

/**
 * One check after another, never two at once, until the time is over; a check that is under way then is finished. A check that the
 * world fails is seen as trouble, and the next one is made after a pause. Rejects with the signal's reason, and with the UserError
 * of the first check: what is wrong from the beginning is for a person to change.
 */
export async function watchDns(parts: WatchParts, signal: AbortSignal): Promise<void> {
  const { checks, clock, intervalMs, forMs = Number.POSITIVE_INFINITY, onSeen } = parts
  const { random } = checks
  const backoff = new Backoff({ baseMs: intervalMs, capMs: Math.max(intervalMs, LONGEST_PAUSE_MS) }, random)
  const endsAtMs = clock.monoMs() + forMs
  for (let isFirst = true; ; isFirst = false) {
    const begunAtMs = clock.monoMs()
    const seen = await oneCheck(parts, isFirst, signal)
    onSeen(seen)
    const pauseMs = 'trouble' in seen ? backoff.nextMs(seen.retryAfterMs) : 0
    if (!('trouble' in seen)) backoff.reset()
    const everyMs = intervalMs * (1 + JITTER * (2 * random.next() - 1))
    const dueAtMs = Math.max(begunAtMs + everyMs, clock.monoMs() + pauseMs)
    await clock.sleep(Math.max(0, Math.min(dueAtMs, endsAtMs) - clock.monoMs()), signal)
    if (dueAtMs >= endsAtMs) return
  }
}

async function oneCheck(
  { checks, clock }: WatchParts,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<DnsCheck | CheckTrouble> {
  const limit = { clock, limitMs: CHECK_LIMIT_MS, signal, what: 'the check' }
  const asked: Promise<DnsCheck>[] = []
  try {
    return await withDeadline(limit, (limited) => {
      const check = checks.next(limited)
      asked.push(check)
      return check
    })
  } catch (error) {
    // A check that is given up removes what it was about to make.
    await Promise.allSettled(asked)
    signal.throwIfAborted()
    if (error instanceof UserError && !isFirst) return { trouble: error.message }
    if (error instanceof DeadlineError) return { trouble: error.message }
    if (!(error instanceof WorldError)) throw error
    const { message, retryAfterMs } = error
    return { trouble: message, ...present({ retryAfterMs }) }
  }
}
