import type { Sample } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'

/**
 * Puts samples back into the order of their schedule: a verdict that took two seconds comes after those of requests begun
 * later. A sample is released once no earlier one can come any more.
 */
export class Settling {
  #waiting: Sample[] = []

  /** The samples that `settledBefore` releases, in order. */
  add(samples: readonly Sample[], settledBefore: WallMs): readonly Sample[] {
    const all = [...this.#waiting, ...samples].sort((a, b) => a.scheduledAt - b.scheduledAt)
    const cut = all.findIndex((sample) => sample.scheduledAt >= settledBefore)
    this.#waiting = cut < 0 ? [] : all.slice(cut)
    return cut < 0 ? all : all.slice(0, cut)
  }

  /** The rest, once no more samples come. */
  release(): readonly Sample[] {
    const all = this.#waiting
    this.#waiting = []
    return all
  }

  get waiting(): readonly Sample[] {
    return this.#waiting
  }
}
