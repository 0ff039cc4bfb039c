import { formatDuration } from '../../ground/model/duration.ts'
import type { Lease } from '../../ground/model/lease.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { OVER } from '../../ground/model/over.ts'
import { restorerOf, SLOT_LONGEST_MS, SLOT_STALE_MS } from '../../ground/model/slot.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Random } from '../../ground/ports/random.ts'
import { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { Unanswered } from '../../service/run/slot-answer.ts'
import type { RunLock, RunLocks } from '../ports/run-lock.ts'

interface Parts {
  readonly cluster: Pick<Cluster, 'readLease' | 'writeLease'>
  readonly removeLease: (ref: ObjectRef, signal: AbortSignal) => Promise<void>
  readonly refOf: (run: string) => ObjectRef
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Of the duration of the Lease: how often its holder renews it, and how often it is looked at, or tried again. */
const RENEWALS = 6
const LOOKS = 24
/** As short and as long as slots may last (`slots.leaseDuration`). What asks for more was not written by us. */
const DURATION_MS_MIN = 15_000
const DURATION_MS_MAX = SLOT_LONGEST_MS
const RELEASE_LIMIT_MS = 10_000
const UNANSWERED_MAX = 3
const NEVER = new AbortController().signal

/** One Lease for each run: the lock of a journal that is in the cluster. */
export class LeaseLocks implements RunLocks {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async take(run: string, slotMs: number, signal: AbortSignal): Promise<RunLock | undefined> {
    const { cluster, refOf } = this.#parts
    const found = await cluster.readLease(refOf(run), signal)
    const lock = new LeaseLock(run, { ...this.#parts, durationMs: durationOf(found, slotMs) })
    return (await lock.acquired(signal)) ? lock : undefined
  }

  /** The clock of the holder may be wrong: so this is for people. */
  async isHeld(run: string): Promise<boolean> {
    const { cluster, clock, refOf } = this.#parts
    const lease = await cluster.readLease(refOf(run), NEVER)
    if (lease === undefined || lease.holder === '') return false
    const renewedAt = Date.parse(lease.renewTime)
    return !(clock.wallMs() - renewedAt > durationOf(lease, 0))
  }

  remove(run: string): Promise<void> {
    return this.#parts.removeLease(this.#parts.refOf(run), NEVER)
  }
}

/** By the roll file; a later process makes it longer, and never shorter: another one may go by what was there before. */
function durationOf(lease: Lease | undefined, slotMs: number): number {
  const longest = Math.max(slotMs, (lease?.durationSeconds ?? 0) * 1000)
  return Math.min(DURATION_MS_MAX, longest > 0 ? Math.max(DURATION_MS_MIN, longest) : SLOT_STALE_MS)
}

const isRefused = (error: Unanswered['error']): boolean => 'retry' in error && error.retry === 'never'

/**
 * It is stale only when this process has watched it for its duration. A holder that cannot renew it lets nothing begin from two thirds of
 * that on.
 */
class LeaseLock implements RunLock {
  readonly holder: string
  readonly #run: string
  readonly #parts: Parts & { readonly durationMs: number }
  readonly #keeper: LeaseKeeper
  readonly #lost = new AbortController()
  readonly #life = new AbortController()
  #renewing: Promise<void> = Promise.resolve()

  constructor(run: string, parts: Parts & { readonly durationMs: number }) {
    const { cluster, clock, random, refOf, durationMs } = parts
    this.#run = run
    this.#parts = parts
    this.#keeper = new LeaseKeeper({
      ...{ cluster, clock, random, durationMs, slot: refOf(run) },
      // Another process of this run is another holder, whose Lease has to be stale.
      ...{ run: restorerOf(run, random.hex(4)), nonce: random.hex(4) },
      onChange: () => this.#noteLoss(),
    })
    this.holder = this.#keeper.holder
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  mayAct(): boolean {
    return !this.lost.aborted && this.#keeper.mayAct()
  }

  /** False: another process has it, and was seen to renew it. */
  async acquired(signal: AbortSignal): Promise<boolean> {
    const { clock, durationMs } = this.#parts
    const pauseMs = durationMs / LOOKS
    let staleAt: number | undefined
    for (let unanswered = 0; ; ) {
      const answer = await this.#keeper.acquire({ node: '', takeStale: true }, signal)
      if (answer.kind === 'held') break
      if (answer.kind === 'unanswered') {
        unanswered += 1
        if (unanswered === UNANSWERED_MAX || isRefused(answer.error)) throw answer.error
      } else if (answer.owner !== undefined) {
        const until = clock.monoMs() + answer.staleInMs
        // Any write of its holder restarts the stopwatch, at this look: then it runs out a whole pause later, at least.
        if ((staleAt !== undefined && until > staleAt + pauseMs / 2) || answer.staleInMs > DURATION_MS_MAX) return false
        if (staleAt === undefined) this.#sayWaits(answer.staleInMs)
        staleAt = until
      }
      await clock.sleep(pauseMs, signal)
    }
    this.#renewing = this.#renew(this.#life.signal)
    return true
  }

  async release(): Promise<void> {
    this.#life.abort(OVER)
    await this.#renewing
    const { clock } = this.#parts
    const until = clock.monoMs() + RELEASE_LIMIT_MS
    while (!this.lost.aborted && clock.monoMs() < until) {
      const answer = await this.#keeper.release(NEVER)
      if (answer.kind !== 'unanswered') return
      await clock.sleep(RELEASE_LIMIT_MS / LOOKS, NEVER)
    }
  }

  /** An API server that does not answer is no loss. One that refuses the Lease for so long is: another process may have it soon. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, durationMs } = this.#parts
    let pauseMs = durationMs / RENEWALS
    try {
      while (!this.lost.aborted) {
        await clock.sleep(pauseMs, signal)
        const answer = await this.#keeper.renewNow(signal)
        pauseMs = durationMs / (answer.kind === 'unanswered' ? LOOKS : RENEWALS)
        if (answer.kind === 'unanswered' && isRefused(answer.error) && !this.#keeper.mayAct())
          this.#lose(`the Lease of run ${this.#run} cannot be renewed: ${answer.error.message}`)
      }
    } catch (error) {
      if (!signal.aborted) this.#lost.abort(error)
    }
  }

  #noteLoss(): void {
    if (this.#keeper.state().kind === 'lost') this.#lose(`another process has taken over run ${this.#run}`)
  }

  #lose(text: string): void {
    this.#lost.abort(new UserError(text, { code: 'journal.in-use' }))
  }

  #sayWaits(ms: number): void {
    const limit = formatDuration(ms)
    this.#parts.log.warn(`a process has the journal of run ${this.#run}: whether it lives is known within ${limit}`)
  }
}
