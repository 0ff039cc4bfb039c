import type { Flight } from './flight.ts'

const COMPACT_AFTER = 1_024

/** The requests under way in the order in which they began, so that the one at the head is the first to be overdue. */
export class Flights {
  #queue: Flight[] = []
  #head = 0

  add(flight: Flight): void {
    this.#queue.push(flight)
  }

  /** The request that began first of those that are not over. */
  first(): Flight | undefined {
    while (this.#queue[this.#head]?.isOver === true) this.#head += 1
    if (this.#head >= COMPACT_AFTER) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return this.#queue[this.#head]
  }
}
