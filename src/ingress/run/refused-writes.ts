import { DeadlineError } from '../../ground/loop/deadline.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { ObjectAction } from '../decide/household.ts'
import { actionKey, type Refusals, type Unbegun } from '../decide/refusals.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'

/** Over with the next look, so that it is not worth a word. */
const OVER_SOON: readonly string[] = ['KUBE_CONFLICT', 'KUBE_NOT_FOUND', 'NODES_BEHIND']
const LASTING: readonly string[] = ['KUBE_FORBIDDEN', 'KUBE_INVALID', 'CLAIMS_FULL', 'NODE_CHANGED', 'REVISION_MISSING']

/** It says nothing of any other write. An API server that cannot be reached, fails or is throttled does. */
export const isRefusal = (error: WriteFault): boolean => OVER_SOON.includes(codeOf(error)) || isLasting(error)

type WriteFault = WorldError | DeadlineError

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

/** The operation of a node may be allowed by then, whatever refused it. */
const UNBEGUN_MS = 3_600_000

interface Refused {
  readonly code: string
  readonly words: string
  /** Since when it has these words. */
  readonly since: WallMs
  /** When it was first refused, with no success since. */
  readonly first: WallMs
  readonly mayStand: boolean
  readonly until: WallMs
  /** Of the object: what it says now may be allowed. */
  readonly generation: number
}

interface Refusal {
  readonly error: unknown
  readonly now: WallMs
  readonly generation: number
  /** Below 1. */
  readonly luck: number
}

/** Which writes of an object were refused when they were tried last, and why. */
export class RefusedWrites {
  /** By the UID of the object, then by the key of the action. */
  readonly #refused = new Map<string, Map<string, Refused>>()
  /** By the UID of the object, then by node: when its operation was refused last. */
  readonly #unbegun = new Map<string, { readonly generation: number; readonly nodes: Map<string, WallMs> }>()

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
    const first = known?.first ?? now
    const mayStand = error instanceof DeadlineError
    refused.set(key, { code, words, since, first, mayStand, until, generation })
    if (action.kind === 'writeOp' && !mayStand) this.#unbegunOf(uid, generation, now).set(action.node, now)
  }

  /** Only these are still to be done. */
  keep(uid: string, actions: readonly ObjectAction[]): void {
    const refused = this.#refused.get(uid)
    if (refused === undefined) return
    const keys = new Set(actions.map(actionKey))
    for (const key of refused.keys()) if (!keys.has(key)) refused.delete(key)
    if (refused.size === 0) this.#refused.delete(uid)
  }

  /** Done, or not to be done any more. */
  done(uid: string, action: ObjectAction): void {
    this.#refused.get(uid)?.delete(actionKey(action))
    if (action.kind === 'writeOp') this.#unbegun.get(uid)?.nodes.delete(action.node)
  }

  /** The refusals that a decision takes into account. A field is absent if it would be empty. */
  of(
    { uid, generation }: Pick<IngressDaemonSet, 'uid' | 'generation'>,
    now: WallMs,
  ): { readonly refusals?: Refusals; readonly unbegun?: Unbegun } {
    const refused = this.#refused.get(uid)
    const unbegun = this.#unbegun.has(uid) ? this.#unbegunOf(uid, generation, now) : undefined
    return {
      ...(refused === undefined || refused.size === 0 ? {} : { refusals: refusalsOf(refused, generation) }),
      ...(unbegun === undefined || unbegun.size === 0 ? {} : { unbegun: new Map(unbegun) }),
    }
  }

  /** Those of this generation, and of the last hour. */
  #unbegunOf(uid: string, generation: number, now: WallMs): Map<string, WallMs> {
    const known = this.#unbegun.get(uid)
    const nodes = known?.generation === generation ? known.nodes : new Map<string, WallMs>()
    for (const [node, at] of nodes) if (now - at >= UNBEGUN_MS) nodes.delete(node)
    this.#unbegun.set(uid, { generation, nodes })
    return nodes
  }

  /** Only these objects are there. */
  keepObjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#refused.keys()) if (!uids.has(uid)) this.#refused.delete(uid)
    for (const uid of this.#unbegun.keys()) if (!uids.has(uid)) this.#unbegun.delete(uid)
  }
}

/** What the object says now may be allowed, so that a refusal of what it said before is no reason to wait. */
const refusalsOf = (refused: ReadonlyMap<string, Refused>, generation: number): Refusals =>
  new Map(
    [...refused].map(([key, { words, since, first, mayStand, until, generation: of }]) => [
      key,
      { words, since: first, until: of === generation ? until : since, ...(mayStand ? { mayStand } : {}) },
    ]),
  )
