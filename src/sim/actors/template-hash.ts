/** Digits of a hash as names may carry them: no vowels, nothing that looks like another (apimachinery, rand.SafeEncodeString). */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

const KNOWN = new WeakMap<object, string>()

/** A hash of a pod template, in the form of `pod-template-hash`. Objects of the store never change in place. */
export function templateHash(template: object): string {
  const known = KNOWN.get(template)
  if (known !== undefined) return known
  const hash = [...String(fnv1a(canonical(template)))].map((digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length])
  KNOWN.set(template, hash.join(''))
  return hash.join('')
}

/** JSON with the names of every map in order. */
const canonical = (value: object): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

/** FNV-1a, 32 bits (Fowler, Noll, Vo). */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
