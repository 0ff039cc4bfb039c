/**
 * The places at which two lists have different items; of the longer list, all beyond the end of the shorter one. A loop, since hundreds of
 * items are compared several times a second, and nearly all are the same.
 */
export function changedPlaces<T>(before: readonly T[], now: readonly T[]): readonly number[] {
  const places: number[] = []
  const length = Math.max(before.length, now.length)
  for (let at = 0; at < length; at += 1) if (before[at] !== now[at]) places.push(at)
  return places
}
