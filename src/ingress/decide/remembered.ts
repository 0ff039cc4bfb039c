interface Made<K, V> {
  readonly key: K
  readonly of: readonly unknown[]
  readonly value: V
}

/** Returns the value for `key` and `inputs`. `make` is called if one of them is another value than last time. */
type Recall<K, V> = (key: K, inputs: readonly unknown[], make: () => V) => V

/** Unused names are forgotten once there are so many. */
const GONE_MAX = 64

/** The values of the last pass for a spec, by name and in the order of the requests. */
interface Known<K, V> {
  readonly byName: Map<string, Made<K, V>>
  readonly inOrder: Made<K, V>[]
}

/**
 * Remembers the values of the last pass for each spec, since of thousands of nodes only a few change between passes. Objects are replaced
 * and never changed, so the same inputs give the same value. `make` must use nothing else.
 *
 * The key is the name, since a weak map costs several times as much in each pass and each garbage collection. The order is nearly always
 * that of the last pass; then no name has to be looked up. `count`: how many names there are now.
 */
export function remembered<K extends { readonly name: string }, V>(): (spec: object, count: number) => Recall<K, V> {
  const specs = new WeakMap<object, Known<K, V>>()
  return (spec, count) => {
    const known = specs.get(spec) ?? { byName: new Map(), inOrder: [] }
    specs.set(spec, known)
    const { byName, inOrder } = known
    if (byName.size > count + GONE_MAX) byName.clear()
    inOrder.length = Math.min(inOrder.length, count)
    let at = -1
    return (key, inputs, make) => {
      at += 1
      const last = inOrder[at]?.key === key ? inOrder[at] : byName.get(key.name)
      if (last !== undefined && last.key === key && isSameList(last.of, inputs)) {
        inOrder[at] = last
        return last.value
      }
      const made = { key, of: inputs, value: make() }
      byName.set(key.name, made)
      inOrder[at] = made
      return made.value
    }
  }
}

/** Item by item, by identity. */
function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one === other) return true
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false
  return true
}
