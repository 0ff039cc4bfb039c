import { Backoff } from '../../../ground/loop/backoff.ts'
import { withDeadline } from '../../../ground/loop/deadline.ts'
import { isConflict, isUnanswered, retryAfterMs } from '../../../ground/loop/lease-holder.ts'
import { Wakeup } from '../../../ground/loop/wakeup.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { KuredDaemonSet } from '../../../ground/model/kured-lock.ts'
import { type ObjectRef, refKey } from '../../../ground/model/object-ref.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { LeaseKeeper } from '../../../service/run/lease-keeper.ts'
import { LOCK_FRESH_MS, type LockMove, lockMove } from '../../decide/kured/lock-move.ts'
import type { KuredLockState } from '../../decide/kured/lock-state.ts'
import { daemonSetOf, isHeldBy } from '../../decide/kured/lock-taken.ts'
import { rebootLocks } from '../../decide/plan/reboot-lock-findings.ts'
import type { RollEvent } from '../../model/roll-event.ts'
import type { KuredLocks } from '../../ports/kured-locks.ts'
import type { ClusterView } from '../cluster-view.ts'
import type { EventLog } from '../event-log.ts'
import type { RunState } from '../run-state.ts'

interface LockKeeperParts {
  readonly run: Pick<RunState, 'id'>
  readonly ref: ObjectRef
  readonly locks: KuredLocks
  readonly view: Pick<ClusterView, 'reading'>
  /** The slots of this process: nothing is sent while one of them is held and not renewed. A lost slot ends only its lane. */
  readonly keepers: readonly Pick<LeaseKeeper, 'state' | 'mayAct'>[]
  readonly clock: Clock
  readonly random: Random
  readonly events: Pick<EventLog, 'emit'>
  /** A try has failed, or has succeeded again. */
  readonly onNews: () => void
}

interface Failed {
  readonly message: string
  readonly retryAfterMs?: number | undefined
}

const ANSWER_MS = 5_000
const BACKOFF = { baseMs: 1_000, capMs: 30_000 }
/** The watch may not show yet what was written just now. */
const LOOK_AGAIN_MS = 1_000
/** The status of a DaemonSet changes with each pod of it, and the version with the status. */
const CONFLICTS_MAX = 5

/** Takes kured's lock, renews it and gives it back, beside the passes. Its present state is read from the cluster. */
export class KuredLockKeeper {
  readonly #parts: LockKeeperParts
  /** By lane and machine, from its first request until it leaves. */
  readonly #wants = new Map<object, boolean>()
  /** The request of the last one that left: so there is no gap between the last node and the first machine. */
  #lastRequest = false
  #isNeeded: () => boolean = () => true
  readonly #wakeup: Wakeup
  readonly #backoff: Backoff
  /** By this process's last read or write. */
  #isOurs = false
  #renewAt = 0
  #notBefore = 0
  #failure: string | undefined
  #isClosed = false
  #turn: Promise<void> = Promise.resolve()

  constructor(parts: LockKeeperParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
    this.#backoff = new Backoff(BACKOFF, parts.random)
  }

  state(): KuredLockState {
    return this.#failure === undefined ? {} : { failure: this.#failure }
  }

  /** Called after each pass of a lane, or over a machine. Undefined: no change. */
  want(from: object, isWanted: boolean | undefined): void {
    if (isWanted === undefined) return
    // Another roll's lock may have ended with time, which no watch shows.
    if (this.#wants.get(from) === isWanted && (!isWanted || this.#isOurs)) return
    this.#wants.set(from, isWanted)
    this.wake()
  }

  /** It has nothing in work, and withdraws its request. That of the last one counts until another has one, or the roll ends. */
  leave(from: object): void {
    const request = this.#wants.get(from)
    if (request === undefined) return
    this.#wants.delete(from)
    if (this.#wants.size === 0) this.#lastRequest = request
    this.wake()
  }

  /** After the end of the work: people may put back what is left out. */
  keepWhile(isNeeded: () => boolean): void {
    this.#isNeeded = isNeeded
    this.wake()
  }

  /** The cluster has changed. */
  wake(): void {
    this.#wakeup.wake()
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const now = this.#parts.clock.monoMs()
      const dueAt = this.#dueAt()
      if (dueAt <= now) {
        this.#turn = this.#try(signal)
        await this.#turn
      } else await this.#wakeup.next(Number.isFinite(dueAt) ? dueAt - now : undefined, signal)
    }
  }

  /** Sends nothing from now on. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#turn.catch(() => undefined)
  }

  get #isWanted(): boolean {
    const isRequested = this.#wants.size === 0 ? this.#lastRequest : [...this.#wants.values()].includes(true)
    return isRequested && this.#isNeeded()
  }

  #dueAt(): number {
    if (this.#isClosed) return Number.POSITIVE_INFINITY
    if (!this.#isWanted) return this.#isOurs ? this.#notBefore : Number.POSITIVE_INFINITY
    const shown = this.#shown()
    if (shown === 'others' && !this.#isOurs) return Number.POSITIVE_INFINITY
    return this.#isOurs && shown === 'ours' ? Math.max(this.#renewAt, this.#notBefore) : this.#notBefore
  }

  /** The owner, as far as the watch shows. */
  #shown(): 'ours' | 'others' | 'none' {
    const { view, ref, run, clock } = this.#parts
    const asking = { run: run.id, wall: clock.wallMs() }
    const found = daemonSetOf(view.reading().workloads, ref)
    if (found === undefined) return 'none'
    if (rebootLocks([found], asking).length > 0) return 'others'
    return isHeldBy(found, asking) ? 'ours' : 'none'
  }

  async #try(signal: AbortSignal): Promise<void> {
    const { clock, onNews } = this.#parts
    const before = this.#failure
    const failed = await this.#move(signal)
    this.#failure = failed?.message
    if (failed === undefined) this.#backoff.reset()
    const waitMs = failed === undefined ? LOOK_AGAIN_MS : this.#backoff.nextMs(failed.retryAfterMs)
    this.#notBefore = clock.monoMs() + waitMs
    if (before === this.#failure) return
    if (this.#isOurs && failed !== undefined)
      this.#warn(`${this.#name} could not be renewed: ${failed.message}; if it is not, it ends by itself`)
    onNews()
  }

  async #move(signal: AbortSignal): Promise<Failed | undefined> {
    const { run, ref, keepers, clock } = this.#parts
    if (keepers.some((keeper) => keeper.state().kind === 'held' && !keeper.mayAct()))
      return { message: 'the slot is not renewed' }
    const isWanted = this.#isWanted
    const asking = () => ({ run: run.id, isWanted, wall: clock.wallMs() })
    const limits = { clock, limitMs: ANSWER_MS, signal, what: 'the API server' }
    try {
      const move = await withDeadline(limits, (limited) => moveLock(this.#parts, asking, limited))
      this.#note(move)
      return move.kind === 'missing' ? { message: `there is no DaemonSet ${refKey(ref)}` } : undefined
    } catch (error) {
      signal.throwIfAborted()
      if (!isUnanswered(error)) throw error
      return { message: escapeForeign(error.message), retryAfterMs: retryAfterMs(error) }
    }
  }

  #note(move: LockMove): void {
    const { run, clock, events, ref } = this.#parts
    const wasOurs = this.#isOurs
    const isGiven = move.kind === 'write' && move.what === 'release'
    this.#isOurs = move.kind === 'ours' || (move.kind === 'write' && !isGiven)
    if (this.#isOurs) this.#renewAt = clock.monoMs() + (move.kind === 'ours' ? move.freshForMs : LOCK_FRESH_MS)
    if (move.kind === 'held' && wasOurs)
      this.#warn(`${this.#name} was taken from this run: ${move.by.join(' and ')} holds it`)
    if (move.kind !== 'write' || move.what === 'renew') return
    if (move.what === 'take' && wasOurs)
      this.#warn(`${this.#name} was removed while this run held it; it is taken again`)
    events.emit(lockWritten(isGiven ? 'releaseKuredLock' : 'takeKuredLock', { ref, run: run.id }))
  }

  get #name(): string {
    return `the lock of kured (DaemonSet ${refKey(this.#parts.ref)})`
  }

  #warn(text: string): void {
    this.#parts.events.emit({ type: 'warning', text: escapeForeign(text) })
  }
}

/** The subject of the event is the DaemonSet that was written, since no node has this name. */
export function lockWritten(
  action: 'takeKuredLock' | 'releaseKuredLock',
  { ref, run }: { readonly ref: ObjectRef; readonly run: string },
): RollEvent {
  const verb = action === 'takeKuredLock' ? 'take' : 'give back'
  return { type: 'write', node: refKey(ref), action, text: `${verb} the lock of kured for run ${run}`, ok: true }
}

/** Reads the lock, and writes it where that is due. A write by another client in between is no failure: it is read again. */
export async function moveLock(
  { locks, ref }: Pick<LockKeeperParts, 'locks' | 'ref'>,
  asking: () => Parameters<typeof lockMove>[1],
  signal: AbortSignal,
): Promise<LockMove> {
  for (let tries = 1; ; tries += 1) {
    const seen: KuredDaemonSet | undefined = await locks.read(ref, signal)
    const move = lockMove(seen, asking())
    if (seen === undefined || move.kind !== 'write') return move
    try {
      await locks.write(seen, move.lock, signal)
      return move
    } catch (error) {
      if (!isConflict(error) || tries === CONFLICTS_MAX) throw error
    }
  }
}

interface OfRun extends Omit<LockKeeperParts, 'ref' | 'locks'> {
  readonly run: RunState
  readonly kuredLocks?: KuredLocks
}

/** Where the file asks for the lock. */
export function kuredLockOf({ kuredLocks, ...parts }: OfRun): { readonly kuredLock?: KuredLockKeeper } {
  const ref = parts.run.spec.reboot.kuredLock
  if (kuredLocks === undefined || ref === undefined) return {}
  return { kuredLock: new KuredLockKeeper({ ...parts, ref, locks: kuredLocks }) }
}
