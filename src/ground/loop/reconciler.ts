import type { LoopDecision } from '../model/loop-decision.ts'
import { present } from '../model/present.ts'
import type { MonoMs } from '../model/time.ts'
import { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import { DeadlineError, withDeadline } from './deadline.ts'
import type { Leader } from './leader.ts'
import { WorkQueue, type WorkResult } from './work-queue.ts'

/** One controller: for each key the cluster is read, then a decision is made and carried out. */
export interface Loop<S, A> {
  readonly name: string
  /**
   * Does all reads, before the decision. Undefined: the key has no object any more, and is forgotten until it is added again.
   * Rejects with WorldError, or with the signal's reason.
   */
  gather(key: string, signal: AbortSignal): Promise<S | undefined>
  /** Pure: reads nothing else. */
  decide(snapshot: S): LoopDecision<A>
  /** One effect, which checks at the last moment what must still hold. Rejects as `gather` does. */
  perform(action: A, signal: AbortSignal): Promise<void>
  /**
   * Whether an action failed for a reason of its own, so that later actions may still succeed. They are done, and the pass
   * fails after them. Where this is absent, the first action that fails ends the pass.
   */
  isRefusal?(error: Fault): boolean
  /** Whether a refusal may have taken seconds. */
  isSlow?(refusal: Fault): boolean
  /** Called with each decision, before anything is done. */
  decided?(key: string, decision: LoopDecision<A>): void
  /**
   * Writes the decision to the cluster: the status of the key's object, its Events. It comes before the actions and stops none
   * of them: if it fails, the pass fails only after them. Rejects as `gather` does.
   */
  tell?(pass: DecidedPass<S, A>, signal: AbortSignal): Promise<void>
}

type Fault = WorldError | DeadlineError

interface DecidedPass<S, A> {
  readonly key: string
  readonly snapshot: S
  readonly decision: LoopDecision<A>
}

interface ReconcilerParts<S, A> {
  readonly loop: Loop<S, A>
  /** A process that does not lead does not even read. */
  readonly leader: Pick<Leader, 'mayActForMs'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** A settled key is reconciled again after about this time: this finds changes without an event. */
  readonly sweepMs: number
  /** How many keys are in work at a time; never one key twice. Default: one. */
  readonly workers?: number
}

/** For metrics and people; counted since the process began. */
export interface LoopStatus {
  readonly name: string
  readonly passes: number
  readonly failures: number
  /** Of all passes together. */
  readonly spentMs: number
  readonly lastPassMs: number
  readonly depth: number
  readonly underWay: number
  /** Since the last pass ended; absent before the first. */
  readonly endedAgoMs?: number
  /** Why passes failed, for keys whose last pass did: the newest text. */
  readonly trouble?: string
}

const GATHER_LIMIT_MS = 15_000
const EFFECT_LIMIT_MS = 10_000
/** After an action the cluster is read again. */
const READ_AGAIN_MS = 20
/** How many actions of a pass may be refused before it ends: without a right, all are refused. */
const REFUSALS_MAX = 50
/** The same for refusals that may take long; with each, the reading that later actions are based on is older. */
const SLOW_REFUSALS_MAX = 5
const SLOW_REFUSALS_MS = 5_000
const BACKOFF = { baseMs: 200, capMs: 10_000 }

/**
 * key → gather → decide → tell → perform → requeue. No action begins unless this process leads, and none takes longer than its
 * limit. A pass that fails with a WorldError is repeated after a pause; any other error is a bug and ends `run`.
 *
 * Law: a controller that does not lead writes nothing.
 */
export class Reconciler<S, A> {
  readonly #parts: ReconcilerParts<S, A>
  readonly #queue: WorkQueue
  #passes = 0
  #failures = 0
  #spentMs = 0
  #lastPassMs = 0
  #endedAt: MonoMs | undefined
  /** By key, for keys whose last pass failed; the newest last. */
  readonly #troubles = new Map<string, string>()
  #lastLogged: string | undefined

  constructor(parts: ReconcilerParts<S, A>) {
    const { clock, random, workers = 1 } = parts
    this.#parts = parts
    this.#queue = new WorkQueue({ clock, random, workers, backoff: BACKOFF })
  }

  add(key: string, inMs = 0): void {
    this.#queue.add(key, inMs)
  }

  /** Until stopped; rejects with the signal's reason. */
  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run((key, life) => this.#timed(key, life), signal)
  }

  /** Begins nothing any more, and resolves when the pass under way has ended. */
  stop(): Promise<void> {
    return this.#queue.stop()
  }

  status(): LoopStatus {
    const trouble = [...this.#troubles.values()].at(-1)
    const endedAgoMs = this.#endedAt === undefined ? undefined : this.#parts.clock.monoMs() - this.#endedAt
    return {
      name: this.#parts.loop.name,
      passes: this.#passes,
      failures: this.#failures,
      spentMs: this.#spentMs,
      lastPassMs: this.#lastPassMs,
      depth: this.#queue.depth(),
      underWay: this.#queue.underWay(),
      ...present({ endedAgoMs, trouble }),
    }
  }

  async #timed(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { clock, leader } = this.#parts
    if (leader.mayActForMs() <= 0) return { kind: 'done' }
    const begunAt = clock.monoMs()
    const result = await this.#tried(key, signal)
    this.#endedAt = clock.monoMs()
    this.#passes += 1
    this.#lastPassMs = this.#endedAt - begunAt
    this.#spentMs += this.#lastPassMs
    return result
  }

  async #tried(key: string, signal: AbortSignal): Promise<WorkResult> {
    try {
      const result = await this.#pass(key, signal)
      if (result.kind === 'done') this.#troubles.delete(key)
      return result
    } catch (error) {
      signal.throwIfAborted()
      if (!isOfTheWorld(error)) throw error
      return this.#failed(key, { trouble: error, hold: error })
    }
  }

  /**
   * An outage fails every key for the same reason, which is logged once. `hold`: the whole key waits as long as its server asked. A
   * refusal asks that for one write alone.
   */
  #failed(key: string, { trouble: error, hold }: { readonly trouble: Fault; readonly hold?: Fault }): WorkResult {
    const { log, loop } = this.#parts
    this.#failures += 1
    const isKnown = this.#troubles.size > 0 && [this.#lastLogged, this.#troubles.get(key)].includes(error.message)
    if (!isKnown) log.warn(`${loop.name}: a pass failed`, { key, reason: error.message })
    this.#lastLogged = error.message
    this.#troubles.delete(key)
    this.#troubles.set(key, error.message)
    const retryAfterMs = hold instanceof WorldError ? hold.retryAfterMs : undefined
    return { kind: 'failed', ...present({ retryAfterMs }) }
  }

  async #pass(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { loop, clock } = this.#parts
    const limit = { clock, limitMs: GATHER_LIMIT_MS, signal, what: `${loop.name}: reading` }
    const snapshot = await withDeadline(limit, (limited) => loop.gather(key, limited))
    if (snapshot === undefined) return { kind: 'done' }
    const decision = loop.decide(snapshot)
    loop.decided?.(key, decision)
    const failure = await this.#tell({ key, snapshot, decision }, signal)
    const done = decision.kind === 'act' ? await this.#allDone(key, decision.actions, signal) : { isLeading: true }
    if (!done.isLeading) return { kind: 'done' }
    const trouble = done.refusal ?? failure
    if (trouble !== undefined) return this.#failed(key, { trouble, ...present({ hold: failure }) })
    return { kind: 'done', againInMs: this.#againInMs(decision) }
  }

  /** In order, until one fails that is no refusal. `refusal`: the first refusal. */
  async #allDone(
    key: string,
    actions: readonly A[],
    signal: AbortSignal,
  ): Promise<{ readonly isLeading: boolean; readonly refusal?: Fault }> {
    const { loop, clock } = this.#parts
    const refusals: Fault[] = []
    const slow = { count: 0, tookMs: 0 }
    let done = 0
    for (const action of actions) {
      const began = clock.monoMs()
      const refusal = await this.#refused(action, signal)
      if (refusal === 'leads no more') return { isLeading: false }
      if (refusal === undefined) done += 1
      else refusals.push(refusal)
      if (refusal !== undefined && loop.isSlow?.(refusal) === true) {
        slow.count += 1
        slow.tookMs += clock.monoMs() - began
      }
      if (refusals.length >= REFUSALS_MAX || slow.count >= SLOW_REFUSALS_MAX || slow.tookMs >= SLOW_REFUSALS_MS) break
    }
    const [refusal] = refusals
    if (refusal === undefined) return { isLeading: true }
    // An action that succeeded has a next step, which does not wait for the pause of a refused one.
    if (done > 0) this.#queue.add(key, READ_AGAIN_MS)
    return { isLeading: true, refusal }
  }

  async #refused(action: A, signal: AbortSignal): Promise<Fault | 'leads no more' | undefined> {
    const { loop } = this.#parts
    try {
      return (await this.#performed(action, signal)) ? undefined : 'leads no more'
    } catch (error) {
      signal.throwIfAborted()
      if (isOfTheWorld(error) && loop.isRefusal?.(error) === true) return error
      throw error
    }
  }

  #againInMs(decision: LoopDecision<A>): number {
    switch (decision.kind) {
      case 'act':
        return READ_AGAIN_MS
      case 'hold':
        return this.#jittered(decision.recheckAfterMs)
      case 'settled':
        return this.#jittered(this.#parts.sweepMs)
    }
  }

  /** Why the status could not be written, if it was a WorldError. */
  async #tell(pass: DecidedPass<S, A>, signal: AbortSignal): Promise<Fault | undefined> {
    const { loop } = this.#parts
    if (loop.tell === undefined) return undefined
    const { tell } = loop
    try {
      await this.#whileLeading({ what: 'its status', signal }, (limited) => tell(pass, limited))
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (isOfTheWorld(error)) return error
      throw error
    }
  }

  #performed(action: A, signal: AbortSignal): Promise<boolean> {
    const { loop } = this.#parts
    return this.#whileLeading({ what: 'an effect', signal }, (limited) => loop.perform(action, limited))
  }

  /** If we do not lead any more this is no failure: the new leader has the key, too. */
  async #whileLeading(
    { what, signal }: { readonly what: string; readonly signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const { loop, clock, leader } = this.#parts
    const limitMs = Math.min(EFFECT_LIMIT_MS, leader.mayActForMs())
    if (limitMs <= 0) return false
    await withDeadline({ clock, limitMs, signal, what: `${loop.name}: ${what}` }, work)
    return true
  }

  #jittered(ms: number): number {
    return ms * (1 + 0.2 * this.#parts.random.next())
  }
}

const isOfTheWorld = (error: unknown): error is Fault => error instanceof WorldError || error instanceof DeadlineError
