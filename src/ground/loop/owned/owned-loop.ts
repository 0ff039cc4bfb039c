import type { LoopDecision } from '../../model/loop-decision.ts'
import type { Reason } from '../../model/reason.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { Leader } from '../leader.ts'
import { type LoopStatus, Reconciler } from '../reconciler.ts'
import { isRefusal, isSlow, type RefusedWrites, type Subject } from './refused-writes.ts'
import { RepeatedActs, wanted } from './repeated-acts.ts'

/** An action, with the snapshot that it was decided by. */
export interface Bound<S, A> {
  readonly action: A
  readonly seen: S
  readonly key: string
}

/** The part of a controller that differs between kinds of objects. */
export interface OwnedSystem<S, A> {
  readonly name: string
  /** Undefined: nothing of this key is left. */
  gather(key: string, signal: AbortSignal): Promise<S | undefined>
  /** Pure. `isHeld`: the action was done in vain, and waits. It is to be among those for later, and to take the place of no other. */
  decide(seen: S, isHeld?: (action: A) => boolean): LoopDecision<A>
  /** The kind of an action and the name of the object that it changes. */
  keyOf(action: A): string
  /** The UID of the object that an action changes. Undefined: the action creates one. */
  objectOf(action: A, seen: S): string | undefined
  /** The object or the group that the actions are decided for. Refused writes are remembered for it. */
  subjectOf(seen: S): Subject
  /** False while a cache is late. Then a decision without an action does not end the refusal of that action. */
  isKnown(seen: S): boolean
  /** The action is about to take a node out of service, so it is decided once more on fresh reads. */
  takesOut(action: A, seen: S): boolean
  /** The same as `gather`, with fresh nodes, slots and holds. Undefined: the action is not wanted any more. */
  gatherFresh(bound: Bound<S, A>, signal: AbortSignal): Promise<S | undefined>
  /** Performs one action. The write names the version of the object in the snapshot. */
  perform(action: A, seen: S, signal: AbortSignal): Promise<void>
  /** Writes the status and the Events, before the actions are performed. */
  tell(seen: S, decision: LoopDecision<A>, signal: AbortSignal): Promise<void>
  /** The key gets another pass after so many ms, whatever was decided. Undefined: as decided. */
  againInMs(decision: LoopDecision<A>): number | undefined
}

interface LoopParts<S, A> {
  readonly system: OwnedSystem<S, A>
  readonly refused: Pick<RefusedWrites<A>, 'refuse' | 'done' | 'keep'>
  readonly leader: Pick<Leader, 'mayActForMs'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const [SWEEP_MS, WORKERS] = [60_000, 4]
/** Many events of one change lead to one pass. */
const GATHER_EVENTS_MS = 20

/** Whatever a policy of the cluster sets back is written this seldom at last. */
const IN_VAIN_MOST_MS = 300_000

/** In the same words each time. An act begins with its kind and the name of what it changes. */
function undoneReason(act: string): Reason {
  const [kind, object = ''] = act.split(' ')
  const text = `${object} is not as it was written (${kind}), although each write was accepted`
  return { code: 'WriteUndone', object, text }
}

/** The loop of a controller: decides for a key, performs the actions, and remembers which writes were refused and which had no effect. */
export class OwnedLoop<S, A> {
  readonly #parts: LoopParts<S, A>
  readonly #reconciler: Reconciler<Passed<S>, Bound<S, A>>
  readonly #repeated: RepeatedActs

  constructor(parts: LoopParts<S, A>) {
    this.#parts = parts
    const { system, clock } = parts
    this.#repeated = new RepeatedActs(clock, IN_VAIN_MOST_MS)
    this.#reconciler = new Reconciler({
      ...parts,
      sweepMs: SWEEP_MS,
      workers: WORKERS,
      loop: {
        name: system.name,
        gather: async (key, signal) => {
          const seen = await system.gather(key, signal)
          if (seen === undefined) this.#repeated.forget(key)
          return seen === undefined ? undefined : { key, seen }
        },
        decide: ({ key, seen }) => mapped(this.#paced(key, seen), (action) => ({ action, seen, key })),
        decided: (key, decision) => {
          const inMs = system.againInMs(unbound(decision))
          if (inMs !== undefined) this.#reconciler.add(key, inMs)
        },
        tell: ({ snapshot: { seen }, decision }, signal) => this.#tell(seen, unbound(decision), signal),
        perform: (bound, signal) => this.#perform(bound, signal),
        isRefusal,
        isSlow,
      },
    })
  }

  /** Until aborted, then rejects with the signal's reason. */
  run(signal: AbortSignal): Promise<void> {
    return this.#reconciler.run(signal)
  }

  /** Starts no new pass, and resolves when the running passes have ended. */
  stop(): Promise<void> {
    return this.#reconciler.stop()
  }

  /** Something that concerns this key has changed. */
  changed(key: string): void {
    this.#reconciler.add(key, GATHER_EVENTS_MS)
  }

  /** Starts a pass at once. */
  add(key: string): void {
    this.#reconciler.add(key)
  }

  status(): LoopStatus {
    return this.#reconciler.status()
  }

  #paced(key: string, seen: S): LoopDecision<A> {
    const { system } = this.#parts
    const actOf = (action: A): string => this.#actOf(action, seen)
    const decision = system.decide(seen, (action) => this.#repeated.isHeld(key, actOf(action)))
    if (!system.isKnown(seen)) return decision
    const paced = this.#repeated.paced(key, decision, actOf)
    const undone = this.#repeated.inVain(key).map(undoneReason)
    return undone.length === 0 ? paced : { ...paced, reasons: [...undone, ...paced.reasons] }
  }

  #actOf(action: A, seen: S): string {
    const { system } = this.#parts
    return `${system.keyOf(action)} ${system.objectOf(action, seen) ?? ''}`
  }

  async #tell(seen: S, decision: LoopDecision<A>, signal: AbortSignal): Promise<void> {
    const { system, refused } = this.#parts
    if (system.isKnown(seen)) refused.keep(system.subjectOf(seen).uid, wantedBy(decision))
    await system.tell(seen, decision, signal)
  }

  async #perform(bound: Bound<S, A>, signal: AbortSignal): Promise<void> {
    const { system, refused, clock, random } = this.#parts
    const { action } = bound
    const subject = system.subjectOf(bound.seen)
    let isSent = false
    try {
      const decided = await stillDecided(system, bound, signal)
      isSent = decided !== undefined
      if (decided !== undefined) await system.perform(decided.action, decided.seen, signal)
      refused.done(subject.uid, action)
      this.#repeated.done(bound.key, this.#actOf(action, bound.seen))
    } catch (error) {
      const refusal = { error, now: clock.wallMs(), luck: random.next() }
      // A deadline before the write was sent is no refusal.
      if (isSent || error instanceof WorldError) refused.refuse(subject, action, refusal)
      throw error
    }
  }
}

interface Passed<S> {
  readonly key: string
  readonly seen: S
}

/**
 * Decides an action once more on fresh reads, if it takes a node out of service, since a cache may be late without a sign of it. Returns
 * the new action, which may name another revision or another slot. Undefined: no such action is wanted any more.
 */
export async function stillDecided<S, A>(
  system: Pick<OwnedSystem<S, A>, 'decide' | 'keyOf' | 'takesOut' | 'gatherFresh'>,
  bound: Bound<S, A>,
  signal: AbortSignal,
): Promise<Pick<Bound<S, A>, 'action' | 'seen'> | undefined> {
  const { action, seen } = bound
  if (!system.takesOut(action, seen)) return bound
  const now = await system.gatherFresh(bound, signal)
  if (now === undefined) return undefined
  const decision = system.decide(now)
  const key = system.keyOf(action)
  const anew = decision.kind === 'act' ? decision.actions.find((one) => system.keyOf(one) === key) : undefined
  return anew === undefined ? undefined : { action: anew, seen: now }
}

/** All actions that a decision wants, in this pass or later. */
function wantedBy<A>(decision: LoopDecision<A>): readonly A[] {
  const { actions, later } = wanted(decision)
  return [...actions, ...later]
}

function mapped<A, B>(decision: LoopDecision<A>, to: (action: A) => B): LoopDecision<B> {
  if (decision.kind === 'settled') return decision
  const { later = [] } = decision
  return decision.kind === 'act'
    ? { ...decision, actions: decision.actions.map(to), later: later.map(to) }
    : { ...decision, later: later.map(to) }
}

const unbound = <S, A>(decision: LoopDecision<Bound<S, A>>): LoopDecision<A> => mapped(decision, ({ action }) => action)
