/** Objects in the order of their keys, as lists that never change: a new list is made only when it is asked for after changes. */
export class SortedList<T> {
  #keys: string[] = []
  #objects: T[] = []
  /** A caller has the present list. */
  #isOut = false

  list(): readonly T[] {
    this.#isOut = true
    return this.#objects
  }

  get(key: string): T | undefined {
    const at = this.#placeOf(key)
    return this.#keys[at] === key ? this.#objects[at] : undefined
  }

  /** If a key comes twice, the last one counts. */
  reset(entries: Iterable<readonly [string, T]>): void {
    const sorted = [...new Map(entries)].sort(([left], [right]) => (left < right ? -1 : 1))
    this.#keys = sorted.map(([key]) => key)
    this.#objects = sorted.map(([, object]) => object)
    this.#isOut = false
  }

  set(key: string, object: T): void {
    const at = this.#placeOf(key)
    const isKnown = this.#keys[at] === key
    if (!isKnown) this.#keys.splice(at, 0, key)
    this.#own().splice(at, isKnown ? 1 : 0, object)
  }

  /** Returns whether it was there. */
  delete(key: string): boolean {
    const at = this.#placeOf(key)
    if (this.#keys[at] !== key) return false
    this.#keys.splice(at, 1)
    this.#own().splice(at, 1)
    return true
  }

  /** The index of the key, or where it has to be inserted. */
  #placeOf(key: string): number {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const found = this.#keys[middle]
      if (found !== undefined && found < key) low = middle + 1
      else high = middle
    }
    return low
  }

  #own(): T[] {
    if (this.#isOut) this.#objects = [...this.#objects]
    this.#isOut = false
    return this.#objects
  }
}
