import type { Refusals, RefusedWrite } from '../../model/owned/refused-write.ts'
import { present } from '../../model/present.ts'
import { type WallMs, wallMs } from '../../model/time.ts'
import { WorldError } from '../../model/world-error.ts'
import { DeadlineError } from '../deadline.ts'

/** Over with the next look, so that it is not worth a word. */
const OVER_SOON: readonly string[] = ['KUBE_CONFLICT', 'KUBE_NOT_FOUND', 'NODES_BEHIND']
const LASTING: readonly string[] = [
  'KUBE_FORBIDDEN',
  'KUBE_INVALID',
  'CLAIMS_FULL',
  'NODE_CHANGED',
  'NAME_TAKEN',
  'REVISION_MISSING',
]

type WriteFault = WorldError | DeadlineError

/** It says nothing of any other write. An API server that cannot be reached, fails or is throttled does. */
export const isRefusal = (error: WriteFault): boolean => OVER_SOON.includes(codeOf(error)) || isLasting(error)

const isLasting = (error: unknown): error is WriteFault =>
  (error instanceof WorldError || error instanceof DeadlineError) && (LASTING.includes(codeOf(error)) || isSlow(error))

/**
 * The webhook of one kind of write does not answer. The API server says so by an error of its own, after as long as the webhook may take,
 * which by default is longer than a write may. Where the API server answers nothing at all, no lead is renewed, and then this
 * process ends.
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

interface Refused {
  readonly code: string
  readonly words: string
  /** Since when it has these words. */
  readonly since: WallMs
  /** When it was first refused, with no success since. */
  readonly first: WallMs
  readonly mayStand: boolean
  readonly until: WallMs
  readonly generation: number
}

/** What actions are decided for: an object, or what several objects share. */
export interface Subject {
  readonly uid: string
  /** What it says now may be allowed, so that a refusal of an earlier generation is no reason to wait. */
  readonly generation: number
}

export interface Refusal {
  readonly error: unknown
  readonly now: WallMs
  /** Below 1. */
  readonly luck: number
}

/** Which writes were refused when they were tried last, and why. */
export class RefusedWrites<A> {
  readonly #keyOf: (action: A) => string
  /** By the UID of the subject, then by the key of the action. */
  readonly #refused = new Map<string, Map<string, Refused>>()

  constructor(keyOf: (action: A) => string) {
    this.#keyOf = keyOf
  }

  /** Whether the refusal lasts, so that a pause is made. */
  refuse({ uid, generation }: Subject, action: A, { error, now, luck }: Refusal): boolean {
    if (!isLasting(error)) return false
    const refused = this.#refused.get(uid) ?? new Map<string, Refused>()
    this.#refused.set(uid, refused)
    const key = this.#keyOf(action)
    const [known, code] = [refused.get(key), codeOf(error)]
    const areSame = known?.code === code && now - known.since < SAME_WORDS_MS
    const { words, since } = areSame ? known : { words: wordsOf(error), since: now }
    const longest = Math.min(PAUSE.mostMs, Math.max(PAUSE.leastMs, refused.size * PAUSE.eachMs))
    const until = wallMs(now + longest * (PAUSE_SHARE + (1 - PAUSE_SHARE) * luck))
    const mayStand = error instanceof DeadlineError
    refused.set(key, { code, words, since, first: known?.first ?? now, mayStand, until, generation })
    return true
  }

  /** Only these are still to be done. */
  keep(uid: string, actions: readonly A[]): void {
    const refused = this.#refused.get(uid)
    if (refused === undefined) return
    const keys = new Set(actions.map(this.#keyOf))
    for (const key of refused.keys()) if (!keys.has(key)) refused.delete(key)
    if (refused.size === 0) this.#refused.delete(uid)
  }

  /** Done, or not to be done any more. */
  done(uid: string, action: A): void {
    this.#refused.get(uid)?.delete(this.#keyOf(action))
  }

  /** Undefined: none. */
  of({ uid, generation }: Subject): Refusals | undefined {
    const refused = this.#refused.get(uid)
    if (refused === undefined || refused.size === 0) return undefined
    return new Map(
      [...refused].map(([key, { words, since, first, mayStand, until, generation: of }]): [string, RefusedWrite] => [
        key,
        {
          ...{ words, since: first, until: of === generation ? until : since },
          ...present({ mayStand: mayStand ? true : undefined }),
        },
      ]),
    )
  }

  /** Only these subjects are there. */
  keepSubjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#refused.keys()) if (!uids.has(uid)) this.#refused.delete(uid)
  }
}
