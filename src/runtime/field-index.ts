import { SortedList } from './sorted-list.ts'

/** The values that an object is found by: the node of a pod, the uids of its owners. */
export type ValuesOf<T> = (object: T) => readonly string[]

const NONE: readonly never[] = []

/** Objects by a value of theirs, kept up to date change by change: a lookup costs nothing that grows with the others. */
export class FieldIndex<T> {
  readonly #valuesOf: ValuesOf<T>
  readonly #lists = new Map<string, SortedList<T>>()

  constructor(valuesOf: ValuesOf<T>) {
    this.#valuesOf = valuesOf
  }

  /** In the order of their keys; the list never changes. */
  get(value: string): readonly T[] {
    return this.#lists.get(value)?.list() ?? NONE
  }

  /** `before`: as it was under this key; `now`: as it is. */
  apply(key: string, before: T | undefined, now: T | undefined): void {
    const values = now === undefined ? [] : this.#valuesOf(now)
    for (const value of before === undefined ? [] : this.#valuesOf(before)) {
      if (!values.includes(value)) this.#remove(value, key)
    }
    if (now === undefined) return
    for (const value of values) {
      const list = this.#lists.get(value) ?? new SortedList<T>()
      this.#lists.set(value, list)
      list.set(key, now)
    }
  }

  #remove(value: string, key: string): void {
    const list = this.#lists.get(value)
    list?.delete(key)
    if (list?.list().length === 0) this.#lists.delete(value)
  }
}
