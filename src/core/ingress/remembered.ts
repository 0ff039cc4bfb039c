interface Made<V> {
  readonly of: readonly unknown[]
  readonly value: V
}

/** Asks for what follows from `key` and `inputs`; `make` is called where one of them is another value than last time. */
type Recall<K extends object, V> = (key: K, inputs: readonly unknown[], make: () => V) => V

/**
 * What was made before of the same values, for each spec: of thousands of nodes a pass finds all but a few as the last pass left
 * them. A value that was read is replaced and never changed, so the same values give the same answer. `make` must go by nothing else.
 */
export function remembered<K extends object, V>(): (spec: object) => Recall<K, V> {
  const specs = new WeakMap<object, Recall<K, V>>()
  return (spec) => {
    const recall = specs.get(spec) ?? newRecall<K, V>()
    specs.set(spec, recall)
    return recall
  }
}

function newRecall<K extends object, V>(): Recall<K, V> {
  const known = new WeakMap<K, Made<V>>()
  return (key, inputs, make) => {
    const last = known.get(key)
    if (last !== undefined && isSameList(last.of, inputs)) return last.value
    const value = make()
    known.set(key, { of: inputs, value })
    return value
  }
}

/** Item by item, by identity. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one === other) return true
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false
  return true
}
