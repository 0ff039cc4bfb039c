import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ApiResource } from '../world/api-resource.ts'

/** From a commit until the watches of a kind are told of it, where the API server is well. */
const USUAL_MS = [1, 30] as const

/** How late watches are: each kind by its own lag, which the seed draws. A fault makes them later for a while. */
export class WatchLag {
  readonly #random: SeededRandom
  readonly #usual = new Map<ApiResource, number>()
  #mostMs = 0
  #more = new Map<ApiResource, number>()

  constructor(random: SeededRandom) {
    this.#random = random
  }

  readonly msOf = (resource: ApiResource): number =>
    this.#drawn(this.#usual, resource, USUAL_MS) + this.#drawn(this.#more, resource, [0, this.#mostMs])

  /** From now on each kind is later by a lag of its own, up to that; 0: by none. */
  delay(mostMs: number): void {
    this.#mostMs = mostMs
    this.#more = new Map()
  }

  #drawn(lags: Map<ApiResource, number>, resource: ApiResource, [leastMs, mostMs]: readonly [number, number]): number {
    const known = lags.get(resource)
    if (known !== undefined) return known
    const drawn = this.#random.between(leastMs, mostMs)
    lags.set(resource, drawn)
    return drawn
  }
}
