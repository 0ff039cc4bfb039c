import type { LoopDecision } from '../../model/loop-decision.ts'
import { type MonoMs, monoMs } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'

/** An action is repeated this often without a pause, because a cache is some milliseconds late. */
const REPEATED_AT_ONCE = 5
const PAUSE = { baseMs: 20, mostMs: 10_000 }
/** That is some seconds after the first. */
const SAID_FROM = 13
/** Whatever else a decision waits for is looked at. */
const LOOK_MS = 10_000

interface Done {
  readonly count: number
  readonly until: MonoMs
}

/**
 * Actions that are decided again in each pass although they were done: the write has no effect, or no watch shows it. For example, a
 * finalizer of another program keeps a deleted object, a webhook reverts the write, or a watch is silent.
 *
 * Law: an act that changed nothing that is seen is repeated later each time.
 */
export class RepeatedActs {
  readonly #clock: Pick<Clock, 'monoMs'>
  readonly #mostMs: number
  /** By the key of the loop, then by the act. */
  readonly #done = new Map<string, Map<string, Done>>()

  /** `mostMs`: the longest pause. */
  constructor(clock: Pick<Clock, 'monoMs'>, mostMs = PAUSE.mostMs) {
    this.#clock = clock
    this.#mostMs = mostMs
  }

  /** `act`: the key of the action and the UID of the object that it changes. */
  done(of: string, act: string): void {
    const done = this.#done.get(of) ?? new Map<string, Done>()
    this.#done.set(of, done)
    const count = (done.get(act)?.count ?? 0) + 1
    const times = count - REPEATED_AT_ONCE
    const pauseMs = times <= 0 ? 0 : Math.min(this.#mostMs, PAUSE.baseMs * 2 ** times)
    done.set(act, { count, until: monoMs(this.#clock.monoMs() + pauseMs) })
  }

  forget(of: string): void {
    this.#done.delete(of)
  }

  /** It was done in vain, and is not repeated yet. A decision that does a limited number of actions at once does others in its place. */
  isHeld(of: string, act: string): boolean {
    return this.#waitMs(of, act) > 0
  }

  #waitMs(of: string, act: string): number {
    const until = this.#done.get(of)?.get(act)?.until
    return until === undefined ? 0 : until - this.#clock.monoMs()
  }

  /**
   * The same decision without the actions that have to wait. An action that it does not want any more has had its effect, and is forgotten.
   */
  paced<A>(of: string, decision: LoopDecision<A>, actOf: (action: A) => string): LoopDecision<A> {
    const done = this.#done.get(of)
    if (done === undefined) return decision
    const { actions, later } = wanted(decision)
    const acts = new Set([...actions, ...later].map(actOf))
    for (const act of done.keys()) if (!acts.has(act)) done.delete(act)
    if (done.size === 0) this.#done.delete(of)
    const waitMs = (action: A): number => this.#waitMs(of, actOf(action))
    const due = actions.filter((action) => waitMs(action) <= 0)
    const waiting = actions.filter((action) => waitMs(action) > 0)
    const all = [...later, ...waiting]
    if (waiting.length === 0 && decision.kind !== 'hold') return decision
    if (due.length > 0) return { kind: 'act', actions: due, reasons: decision.reasons, later: all }
    const waits = all.map(waitMs).filter((ms) => ms > 0)
    if (decision.kind === 'hold') return { ...decision, recheckAfterMs: Math.min(decision.recheckAfterMs, ...waits) }
    return { kind: 'hold', recheckAfterMs: Math.min(LOOK_MS, ...waits), reasons: decision.reasons, later: all }
  }

  /** The acts that were done so often without being seen that a person should know. */
  inVain(of: string): readonly string[] {
    return [...(this.#done.get(of) ?? [])].flatMap(([act, { count }]) => (count >= SAID_FROM ? [act] : []))
  }
}

/** The actions that a decision wants now, and those that it wants later. */
export function wanted<A>(decision: LoopDecision<A>): { readonly actions: readonly A[]; readonly later: readonly A[] } {
  if (decision.kind === 'settled') return { actions: [], later: [] }
  return { actions: decision.kind === 'act' ? decision.actions : [], later: decision.later ?? [] }
}
