import type { MonoMs } from '../model/time.ts'
import type { Freshness } from './follow-cache.ts'

/**
 * When the API server was away last. One stream that is cut is a connection; all of them at once are the API server, and the streams of all
 * clients. It is back when the last of ours is: a server that has just started refuses some for seconds yet.
 */
export class ApiOutage {
  readonly #onTurn: (isAway: boolean) => void
  #isAway: boolean
  #lastAt: MonoMs | undefined

  /** `isAway`, `lastAt`: what an earlier process knew of it. `onTurn`: with each outage that begins, and with its end. */
  constructor({ isAway = false, lastAt, onTurn = () => undefined }: OutageParts = {}) {
    this.#isAway = isAway
    this.#lastAt = lastAt
    this.#onTurn = onTurn
  }

  /** To be called with each change of them. */
  note(streams: readonly Freshness[], now: MonoMs): void {
    const broken = streams.map(({ brokenSince }) => brokenSince !== undefined)
    const isAway = broken.every(Boolean) || (this.#isAway && broken.some(Boolean))
    if (isAway) this.#lastAt = now
    if (isAway === this.#isAway) return
    this.#isAway = isAway
    this.#onTurn(isAway)
  }

  /** The last moment at which it was known to be away; absent where none is known. */
  get lastAt(): MonoMs | undefined {
    return this.#lastAt
  }
}

export interface OutageParts {
  readonly isAway?: boolean
  readonly lastAt?: MonoMs
  readonly onTurn?: (isAway: boolean) => void
}
