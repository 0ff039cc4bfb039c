import { SortedList } from './sorted-list.ts'

/** The values by which an object is found: the node of a pod, the uids of its owners. */
export type ValuesOf<T> = (object: T) => readonly string[]

const NONE: readonly never[] = []

/** Objects by one of their values, updated with each change: the cost of a lookup does not grow with the other objects. */
export class FieldIndex<T> {
  readonly #valuesOf: ValuesOf<T>
  readonly #lists = new Map<string, SortedList<T>>()

  constructor(valuesOf: ValuesOf<T>) {
    this.#valuesOf = valuesOf
  }

  /** In the order of their keys; the returned list never changes. */
  get(value: string): readonly T[] {
    return this.#lists.get(value)?.list() ?? NONE
  }

  /** `before`: the old object of this key; `now`: the new one. */
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

  get isEmpty(): boolean {
    return this.#lists.size === 0
  }

  #remove(value: string, key: string): void {
    const list = this.#lists.get(value)
    list?.delete(key)
    if (list?.list().length === 0) this.#lists.delete(value)
  }
}

/** Objects of one group by one of their values. */
type Lookup<T> = (value: string) => readonly T[]

/** The same within groups. */
export class GroupedIndex<T> {
  readonly #groupOf: (object: T) => string
  readonly #valuesOf: ValuesOf<T>
  readonly #groups = new Map<string, FieldIndex<T>>()
  readonly #lookups = new Map<string, Lookup<T>>()

  constructor(groupOf: (object: T) => string, valuesOf: ValuesOf<T>) {
    this.#groupOf = groupOf
    this.#valuesOf = valuesOf
  }

  /**
   * Returns another function after each change in the group: if it is the same one, nothing has changed. It is valid until the
   * next change.
   */
  get(group: string): Lookup<T> {
    const index = this.#groups.get(group)
    if (index === undefined) return nothing
    const lookup = this.#lookups.get(group) ?? ((value) => index.get(value))
    this.#lookups.set(group, lookup)
    return lookup
  }

  apply(key: string, before: T | undefined, now: T | undefined): void {
    const last = before === undefined ? undefined : this.#groupOf(before)
    const next = now === undefined ? undefined : this.#groupOf(now)
    if (last !== undefined && last !== next) this.#applyIn(last, key, [before, undefined])
    if (next !== undefined) this.#applyIn(next, key, [last === next ? before : undefined, now])
  }

  #applyIn(group: string, key: string, [before, now]: readonly [T | undefined, T | undefined]): void {
    const index = this.#groups.get(group) ?? new FieldIndex(this.#valuesOf)
    index.apply(key, before, now)
    this.#lookups.delete(group)
    if (index.isEmpty) this.#groups.delete(group)
    else this.#groups.set(group, index)
  }
}

const nothing = (): readonly never[] => NONE
