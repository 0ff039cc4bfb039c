/**
 * The answers of the API to our last writes of objects that a cache still shows as they were before. A cache is some
 * milliseconds late, and the pass after a write comes sooner.
 */
export class Latest {
  readonly #answers = new WeakMap<object, object>()

  /** `read`: the object from the cache, or from an earlier answer. */
  wrote<T extends object>(read: T, answer: T): void {
    this.#answers.set(read, answer)
  }

  of<T extends object>(read: T): T {
    let newest: T = read
    for (let next = this.#answers.get(newest); next !== undefined; next = this.#answers.get(newest)) newest = next as T
    return newest
  }

  /** Returns the same list where no object is late, so that values derived from it can be reused. */
  all<T extends object>(read: readonly T[]): readonly T[] {
    return read.every((one) => this.of(one) === one) ? read : read.map((one) => this.of(one))
  }
}
