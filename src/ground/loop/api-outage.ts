import type { MonoMs } from '../model/time.ts'
import type { Freshness } from './follow-cache.ts'

/**
 * When the API server was away last. One stream that is cut is a connection; all of them at once are the API server, and the streams of all
 * clients. It is back when the last of ours is: a server that has just started refuses some for seconds yet.
 */
export class ApiOutage {
  #isAway = false
  #lastAt: MonoMs | undefined

  /** To be called with each change of them. */
  note(streams: readonly Freshness[], now: MonoMs): void {
    const broken = streams.map(({ brokenSince }) => brokenSince !== undefined)
    if (broken.every(Boolean)) this.#isAway = true
    else if (!broken.some(Boolean)) this.#isAway = false
    if (this.#isAway) this.#lastAt = now
  }

  /** The last moment at which it was known to be away; absent where this process has seen no outage. */
  get lastAt(): MonoMs | undefined {
    return this.#lastAt
  }
}
