/**
 * One list of two. While neither changes it is the very same one: what was made of a list of thousands in the last look is found by the
 * list.
 */
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
