const NAMED_AT_MOST = 2

/** `a, b and 3 more`. */
export function firstOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_AT_MOST)
  const left = names.length - shown.length
  return left === 0 ? shown.join(' and ') : `${shown.join(', ')} and ${left} more`
}
