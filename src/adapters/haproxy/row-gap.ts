/** How the lines of a table are parted, and which of their columns are read, in order. */
export interface RowShape {
  readonly separator: string
  readonly places: readonly number[]
}

/** Columns of a line that nobody reads, between two that are read. */
export interface RowGap {
  /** How much of the line is before it, and how much behind it, in characters. */
  readonly before: number
  readonly behind: number
  readonly separators: number
}

/**
 * Where a line differs from the next one first, if nobody reads that: seconds go by in every row, and most of it need not
 * be parted again to see that nothing else did. Undefined where quotes may hide a separator, and at the end of a line.
 */
export function gapBetween(line: string, next: string, { separator, places }: RowShape): RowGap | undefined {
  if (line.includes('"')) return undefined
  const differs = firstDifference(line, next)
  let [start, before, separators] = [0, 0, 0]
  for (let column = 0, place = 0; ; column += 1) {
    const end = line.indexOf(separator, start)
    if (end === -1) return undefined
    if (places[place] === column) {
      if (differs < start) return { before, behind: line.length - start + 1, separators: separators - 1 }
      if (differs <= end) return undefined
      place += 1
      before = end + 1
      separators = 0
    } else separators += 1
    start = end + 1
  }
}

/** Whether the next line reads as this one, whose gap that is. */
export function isSameButIn(gap: RowGap, [line, next]: readonly [string, string], separator: string): boolean {
  const { before, behind, separators } = gap
  const end = next.length - behind
  if (end < before || next.slice(0, before) !== line.slice(0, before)) return false
  if (next.slice(end) !== line.slice(line.length - behind)) return false
  let found = 0
  for (let at = before; at < end; at += 1) {
    const character = next[at]
    if (character === '"') return false
    if (character === separator) found += 1
  }
  return found === separators
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}
