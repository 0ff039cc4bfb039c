/**
 * What the API answered to our last write of an object that a cache still shows as it was before. A cache is behind by some
 * milliseconds, and the pass after a write comes sooner.
 */
export class Latest {
  readonly #answers = new WeakMap<object, object>()

  /** `read`: as the cache has it, or as it was answered before. */
  wrote<T extends object>(read: T, answer: T): void {
    this.#answers.set(read, answer)
  }

  of<T extends object>(read: T): T {
    let newest: T = read
    for (let next = this.#answers.get(newest); next !== undefined; next = this.#answers.get(newest)) newest = next as T
    return newest
  }

  /** The very same list where none of them is behind, so that what was made of it can be taken over. */
  all<T extends object>(read: readonly T[]): readonly T[] {
    return read.every((one) => this.of(one) === one) ? read : read.map((one) => this.of(one))
  }
}
