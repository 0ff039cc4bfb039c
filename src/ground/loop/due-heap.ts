import type { MonoMs } from '../model/time.ts'

export interface Due {
  readonly key: string
  readonly at: MonoMs
  /** Of items that are due at the same moment, the lowest comes first. */
  readonly order: number
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/**
 * The item that is due first comes out first: a binary heap, so that an operation on ten thousand keys costs only their
 * logarithm.
 */
export class DueHeap {
  readonly #heap: Due[] = []

  first(): Due | undefined {
    return this.#heap[0]
  }

  push(due: Due): void {
    let at = this.#heap.length
    this.#heap.push(due)
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = this.#heap[above]
      if (parent === undefined || !isBefore(due, parent)) break
      this.#heap[at] = parent
      at = above
    }
    this.#heap[at] = due
  }

  pop(): Due | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (last !== undefined && this.#heap.length > 0) this.#sink(last)
    return first
  }

  /** Puts the item at the top, and moves it down below all that come before it. */
  #sink(due: Due): void {
    let at = 0
    for (;;) {
      const below = this.#earlierChild(at)
      const child = below === undefined ? undefined : this.#heap[below]
      if (below === undefined || child === undefined || !isBefore(child, due)) break
      this.#heap[at] = child
      at = below
    }
    this.#heap[at] = due
  }

  #earlierChild(at: number): number | undefined {
    const left = this.#heap[2 * at + 1]
    const right = this.#heap[2 * at + 2]
    if (left === undefined) return undefined
    return right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
  }
}
