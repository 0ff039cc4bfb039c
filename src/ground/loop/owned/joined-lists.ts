/** Joins two lists. While neither changes, the answer is the same list object, so that values derived from it can be reused. */
export class JoinedLists<T extends object> {
  readonly #known = new WeakMap<readonly T[], { readonly more: readonly T[]; readonly joined: readonly T[] }>()

  /** `more`: few. */
  of(list: readonly T[], more: readonly T[]): readonly T[] {
    if (more.length === 0) return list
    const known = this.#known.get(list)
    if (known?.more.length === more.length && known.more.every((one, at) => one === more[at])) return known.joined
    const joined = [...list, ...more]
    this.#known.set(list, { more, joined })
    return joined
  }
}
