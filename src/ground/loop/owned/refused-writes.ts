import type { Refusals, RefusedWrite } from '../../model/owned/refused-write.ts'
import { present } from '../../model/present.ts'
import { type WallMs, wallMs } from '../../model/time.ts'
import { WorldError } from '../../model/world-error.ts'
import { obeyedMs } from '../backoff.ts'
import { DeadlineError } from '../deadline.ts'

/** Errors that end with the next pass, so they are not reported. */
const OVER_SOON: readonly string[] = ['KUBE_CONFLICT', 'KUBE_NOT_FOUND', 'NODES_BEHIND']
const LASTING: readonly string[] = [
  'KUBE_FORBIDDEN',
  'KUBE_INVALID',
  'CLAIMS_FULL',
  'CLAIM_UNREADABLE',
  'NODE_CHANGED',
  'NAME_TAKEN',
  'REVISION_MISSING',
]

type WriteFault = WorldError | DeadlineError

/** The error concerns this write alone. An API server that cannot be reached, fails or throttles concerns all writes. */
export const isRefusal = (error: WriteFault): boolean => OVER_SOON.includes(codeOf(error)) || isLasting(error)

const isLasting = (error: unknown): error is WriteFault =>
  (error instanceof WorldError || error instanceof DeadlineError) && (LASTING.includes(codeOf(error)) || isSlow(error))

/** A server that asks to wait refuses this write for as long. */
const askedMs = (error: unknown): number =>
  error instanceof WorldError && isRefusal(error) ? obeyedMs(error.retryAfterMs) : 0

const isPaced = (error: unknown): error is WriteFault => isLasting(error) || askedMs(error) > 0

/**
 * The webhook for one kind of write does not answer. The API server reports that only after the timeout of the webhook, which by default is
 * longer than the limit of a write. If the API server itself does not answer, the leader cannot renew its Lease and the process ends.
 */
export const isSlow = (error: WriteFault): boolean =>
  error instanceof DeadlineError || (error.code === 'KUBE_SERVER' && error.message.includes('failed calling webhook'))

const codeOf = (error: WriteFault): string => (error instanceof DeadlineError ? 'DEADLINE' : error.code)

const wordsOf = (error: WriteFault): string =>
  error instanceof DeadlineError
    ? `the API server did not answer within ${Math.round(error.limitMs / 1_000)} s; where it answers others, a webhook may be slow`
    : error.message

/** The text of a refusal is kept so long: each new text is a write of the status, and a webhook may name the time. */
const SAME_WORDS_MS = 60_000

/** With many refused writes the pauses grow, so that together they cause some tries a second. */
const PAUSE = { leastMs: 10_000, eachMs: 200, mostMs: 60_000 }
/** The rest of a pause is random, so that writes refused at the same time are not tried again at the same time. */
const PAUSE_SHARE = 0.75

interface Refused {
  readonly code: string
  readonly words: string
  /** Since when the refusal has this text. */
  readonly since: WallMs
  /** The first refusal since the last success. */
  readonly first: WallMs
  readonly mayStand: boolean
  readonly until: WallMs
  readonly generation: number
}

/** The object that actions are decided for, or a group of objects. */
export interface Subject {
  readonly uid: string
  /** A refusal of an earlier generation is no reason to wait, since the new spec may be allowed. */
  readonly generation: number
}

export interface Refusal {
  readonly error: unknown
  readonly now: WallMs
  /** Random, from 0 to below 1. */
  readonly luck: number
}

/** The writes whose last try was refused, and why. */
export class RefusedWrites<A> {
  readonly #keyOf: (action: A) => string
  /** By the UID of the subject, then by the key of the action. */
  readonly #refused = new Map<string, Map<string, Refused>>()

  constructor(keyOf: (action: A) => string) {
    this.#keyOf = keyOf
  }

  /** Returns whether the refusal lasts, so that the write waits before the next try: at least as long as the server asked. */
  refuse({ uid, generation }: Subject, action: A, { error, now, luck }: Refusal): boolean {
    if (!isPaced(error)) return false
    const refused = this.#refused.get(uid) ?? new Map<string, Refused>()
    this.#refused.set(uid, refused)
    const key = this.#keyOf(action)
    const [known, code] = [refused.get(key), codeOf(error)]
    const areSame = known?.code === code && now - known.since < SAME_WORDS_MS
    const { words, since } = areSame ? known : { words: wordsOf(error), since: now }
    const longest = Math.min(PAUSE.mostMs, Math.max(PAUSE.leastMs, refused.size * PAUSE.eachMs))
    const pauseMs = longest * (PAUSE_SHARE + (1 - PAUSE_SHARE) * luck)
    const until = wallMs(now + Math.max(pauseMs, askedMs(error)))
    const mayStand = error instanceof DeadlineError
    refused.set(key, { code, words, since, first: known?.first ?? now, mayStand, until, generation })
    return true
  }

  /** Forgets the refusals of all other actions of the subject. */
  keep(uid: string, actions: readonly A[]): void {
    const refused = this.#refused.get(uid)
    if (refused === undefined) return
    const keys = new Set(actions.map(this.#keyOf))
    for (const key of refused.keys()) if (!keys.has(key)) refused.delete(key)
    if (refused.size === 0) this.#refused.delete(uid)
  }

  /** The action was done, or is not wanted any more. */
  done(uid: string, action: A): void {
    this.#refused.get(uid)?.delete(this.#keyOf(action))
  }

  /** Undefined: no write of the subject is refused. */
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

  /** Forgets all other subjects. */
  keepSubjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#refused.keys()) if (!uids.has(uid)) this.#refused.delete(uid)
  }
}
