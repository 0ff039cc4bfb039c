interface Made<K, V> {
  readonly key: K
  readonly of: readonly unknown[]
  readonly value: V
}

/** Asks for what follows from `key` and `inputs`; `make` is called where one of them is another value than last time. */
type Recall<K, V> = (key: K, inputs: readonly unknown[], make: () => V) => V

/** Names that are gone are forgotten once there are so many of them. */
const GONE_MAX = 64

/** What the last pass made for a spec: by name, and in the order in which it was asked for. */
interface Known<K, V> {
  readonly byName: Map<string, Made<K, V>>
  readonly inOrder: Made<K, V>[]
}

/**
 * What was made before of the same values, for each spec: of thousands of nodes a pass finds all but a few as the last pass left
 * them. A value that was read is replaced and never changed, so the same values give the same answer. `make` must go by nothing else.
 *
 * By name and not by a weak reference to the value: a weak map costs several times as much, in each look and in each garbage
 * collection. The order is nearly always that of the last pass, and then no name has to be looked up. `count`: how many names there
 * are now.
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
