type CelValues = { readonly value: unknown } | { readonly fault: string }

/** More than etcd stores of one object (1.5 MiB). */
const CHARACTERS_MAX = 2 * 1024 * 1024
/** The deepest schemas of known CustomResourceDefinitions, several times over. */
const DEPTH_MAX = 64
/** A search of one text in another takes the product of their lengths, in code that nothing ends. */
export const TEXT_MAX = 8 * 1024
/** A number, a flag, a bracket: roughly, since this bounds memory and nothing else. */
const CHARACTERS_OF_A_VALUE = 8

/**
 * JSON as CEL has it. Whole numbers are int, as for Kubernetes. An object becomes a Map, so that a key such as `__proto__` or
 * `constructor` is a key like any other.
 */
export function celValues(json: unknown): CelValues {
  const budget = { left: CHARACTERS_MAX }
  try {
    return { value: celValue(json, budget, 0) }
  } catch (error) {
    if (error instanceof TooMuch) return { fault: error.message }
    throw error
  }
}

class TooMuch extends Error {}

/** A type that CEL does not know: it refuses an expression that uses the text, and no other. */
class LongText {}
const LONG_TEXT = new LongText()

function celValue(json: unknown, budget: { left: number }, depth: number): unknown {
  if (depth > DEPTH_MAX) throw new TooMuch(`the object is nested deeper than ${DEPTH_MAX} levels`)
  spend(budget, typeof json === 'string' ? json.length : CHARACTERS_OF_A_VALUE)
  if (typeof json === 'string') return json.length > TEXT_MAX ? LONG_TEXT : json
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json
  if (typeof json !== 'object' || json === null) return json ?? null
  if (Array.isArray(json)) return json.map((item) => celValue(item, budget, depth + 1))
  const fields = new Map<string, unknown>()
  for (const [key, field] of Object.entries(json)) {
    spend(budget, key.length)
    fields.set(key, celValue(field, budget, depth + 1))
  }
  return fields
}

function spend(budget: { left: number }, characters: number): void {
  budget.left -= characters
  if (budget.left < 0) throw new TooMuch(`the object is larger than ${CHARACTERS_MAX / 1024 / 1024} MiB`)
}
