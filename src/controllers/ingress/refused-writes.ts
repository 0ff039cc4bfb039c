import type { ObjectAction } from '../../core/ingress/household.ts'
import { actionKey, type Refusals } from '../../core/ingress/refusals.ts'
import type { WallMs } from '../../model/time.ts'
import type { WorldError } from '../../model/world-error.ts'

/** Over with the next look, so that it is not worth a word. */
const OVER_SOON: readonly string[] = ['KUBE_CONFLICT', 'KUBE_NOT_FOUND', 'NODES_BEHIND']
const LASTING: readonly string[] = ['KUBE_FORBIDDEN', 'KUBE_INVALID', 'CLAIMS_FULL', 'NODE_CHANGED', 'REVISION_MISSING']

/** It says nothing of any other write. An API server that cannot be reached, fails or is throttled does. */
export const isRefusal = ({ code }: WorldError): boolean => OVER_SOON.includes(code) || LASTING.includes(code)

/**
 * Each change of the words is a write of the status, which leads to the next try. What refuses may say something else each time, such as
 * the time.
 */
const SAME_WORDS_MS = 60_000

interface Refused {
  readonly code: string
  readonly words: string
  readonly since: WallMs
}

/** Which writes of an object were refused when they were tried last, and why. */
export class RefusedWrites {
  /** By the UID of the object, then by the key of the action. */
  readonly #refused = new Map<string, ReadonlyMap<string, Refused>>()

  refuse(
    uid: string,
    action: ObjectAction,
    { error, now }: { readonly error: WorldError; readonly now: WallMs },
  ): void {
    if (!LASTING.includes(error.code)) return
    const refused = new Map(this.#refused.get(uid))
    const key = actionKey(action)
    const known = refused.get(key)
    if (known?.code === error.code && now - known.since < SAME_WORDS_MS) return
    refused.set(key, { code: error.code, words: error.message, since: now })
    this.#refused.set(uid, refused)
  }

  /** Only these are still to be done. */
  keep(uid: string, actions: readonly ObjectAction[]): void {
    const refused = this.#refused.get(uid)
    if (refused === undefined) return
    const keys = new Set(actions.map(actionKey))
    const left = [...refused].filter(([key]) => keys.has(key))
    if (left.length === 0) this.#refused.delete(uid)
    else this.#refused.set(uid, new Map(left))
  }

  /** Done, or not to be done any more. */
  done(uid: string, action: ObjectAction): void {
    const refused = this.#refused.get(uid)
    const key = actionKey(action)
    if (refused?.has(key) !== true) return
    this.#refused.set(uid, new Map([...refused].filter(([other]) => other !== key)))
  }

  /** Undefined: none was. */
  of(uid: string): Refusals | undefined {
    const refused = this.#refused.get(uid)
    if (refused === undefined || refused.size === 0) return undefined
    return new Map([...refused].map(([key, { words }]) => [key, words]))
  }

  /** Only these objects are there. */
  keepObjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#refused.keys()) if (!uids.has(uid)) this.#refused.delete(uid)
  }
}
