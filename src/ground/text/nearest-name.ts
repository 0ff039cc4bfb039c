/**
 * The known name that a person most likely meant, if one is close enough: at most a third of the letters differ, or one name
 * begins with the other.
 */
export const nearestName = (written: string, known: readonly string[]): string | undefined =>
  nearestNames(written, known)[0]

/** All names that are close enough, the nearest first. */
export function nearestNames(written: string, known: readonly string[]): readonly string[] {
  const word = written.toLowerCase()
  return known
    .map((name) => ({ name, distance: distanceOf(word, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(written.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name)
}

function distanceOf(word: string, name: string): number {
  if (name.length >= 4 && word.startsWith(name)) return 1
  if (word.length >= 4 && name.startsWith(word)) return 1
  return editDistance(word.slice(0, 64), name)
}

/** Levenshtein distance, where two swapped neighbours are one change. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1]
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const changed = (last[j - 1] ?? 0) + (same ? 0 : 1)
      const cost = Math.min(changed, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      row.push(swapped ? Math.min(cost, (beforeLast[j - 2] ?? 0) + 1) : cost)
    }
    beforeLast = last
    last = row
  }
  return last[to.length] ?? 0
}
