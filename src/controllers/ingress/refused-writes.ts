import type { ObjectAction } from '../../core/ingress/household.ts'
import { actionKey, type Refusals } from '../../core/ingress/refusals.ts'
import type { IngressDaemonSet } from '../../model/ingress-daemon-set.ts'
import { type WallMs, wallMs } from '../../model/time.ts'
import type { WorldError } from '../../model/world-error.ts'
import { DeadlineError } from '../../runtime/deadline.ts'

/** Over with the next look, so that it is not worth a word. */
const OVER_SOON: readonly string[] = ['KUBE_CONFLICT', 'KUBE_NOT_FOUND', 'NODES_BEHIND']
const LASTING: readonly string[] = ['KUBE_FORBIDDEN', 'KUBE_INVALID', 'CLAIMS_FULL', 'NODE_CHANGED', 'REVISION_MISSING']

/** It says nothing of any other write. An API server that cannot be reached, fails or is throttled does. */
export const isRefusal = (error: WriteFault): boolean => OVER_SOON.includes(codeOf(error)) || isLasting(error)

type WriteFault = WorldError | DeadlineError

const isLasting = (error: WriteFault): boolean => LASTING.includes(codeOf(error)) || isSlow(error)

/**
 * The webhook of one kind of write does not answer. The API server says so by an error of its own, after as long as the webhook may take,
 * which by default is longer than a write may. One that answers nothing at all renews no lead, and then this process ends.
 */
export const isSlow = (error: WriteFault): boolean =>
  error instanceof DeadlineError || (error.code === 'KUBE_SERVER' && error.message.includes('failed calling webhook'))

const codeOf = (error: WriteFault): string => (error instanceof DeadlineError ? 'DEADLINE' : error.code)

const wordsOf = (error: WriteFault): string =>
  error instanceof DeadlineError
    ? `the API server did not answer within ${Math.round(error.limitMs / 1_000)} s; where it answers others, a webhook may be slow`
    : error.message

/**
 * Each change of the words is a write of the status, which leads to the next try. What refuses may say something else each time, such as
 * the time.
 */
const SAME_WORDS_MS = 60_000

/**
 * Of few, each is tried after ten seconds at most. Of many, the pauses are longer, so that all together are tried some times a second,
 * and none is later than after a minute.
 */
const PAUSE = { leastMs: 10_000, eachMs: 200, mostMs: 60_000 }
/** The rest of a pause is drawn, so that what was refused at once is not tried at once. */
const PAUSE_SHARE = 0.75

/**
 * A node whose operation is refused gives its slot back and asks for it again. As long as the refusal is known, others are asked first.
 */
const KEPT_MS = 60_000

interface Refused {
  readonly code: string
  readonly words: string
  readonly since: WallMs
  /** When it was refused last. */
  readonly at: WallMs
  readonly until: WallMs
  /** Of the object: what it says now may be allowed. */
  readonly generation: number
}

interface Refusal {
  readonly error: WriteFault
  readonly now: WallMs
  readonly generation: number
  /** Below 1. */
  readonly luck: number
}

/** Which writes of an object were refused when they were tried last, and why. */
export class RefusedWrites {
  /** By the UID of the object, then by the key of the action. */
  readonly #refused = new Map<string, Map<string, Refused>>()

  refuse(uid: string, action: ObjectAction, { error, now, generation, luck }: Refusal): void {
    if (!isLasting(error)) return
    const refused = this.#refused.get(uid) ?? new Map<string, Refused>()
    this.#refused.set(uid, refused)
    const key = actionKey(action)
    const [known, code] = [refused.get(key), codeOf(error)]
    const areSame = known?.code === code && now - known.since < SAME_WORDS_MS
    const { words, since } = areSame ? known : { words: wordsOf(error), since: now }
    const longest = Math.min(PAUSE.mostMs, Math.max(PAUSE.leastMs, refused.size * PAUSE.eachMs))
    const until = wallMs(now + longest * (PAUSE_SHARE + (1 - PAUSE_SHARE) * luck))
    refused.set(key, { code, words, since, at: now, until, generation })
  }

  /** Only these are still to be done, and those that were refused a short while ago may be again. */
  keep(uid: string, actions: readonly ObjectAction[], now: WallMs): void {
    const refused = this.#refused.get(uid)
    if (refused === undefined) return
    const keys = new Set(actions.map(actionKey))
    for (const [key, { at }] of refused) if (!keys.has(key) && now - at >= KEPT_MS) refused.delete(key)
    if (refused.size === 0) this.#refused.delete(uid)
  }

  /** Done, or not to be done any more. */
  done(uid: string, action: ObjectAction): void {
    this.#refused.get(uid)?.delete(actionKey(action))
  }

  /** Undefined: none was. */
  of({ uid, generation }: Pick<IngressDaemonSet, 'uid' | 'generation'>): Refusals | undefined {
    const refused = this.#refused.get(uid)
    if (refused === undefined || refused.size === 0) return undefined
    return new Map(
      [...refused].map(([key, { words, since, until, generation: of }]) => [
        key,
        { words, until: of === generation ? until : since },
      ]),
    )
  }

  /** Only these objects are there. */
  keepObjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#refused.keys()) if (!uids.has(uid)) this.#refused.delete(uid)
  }
}
