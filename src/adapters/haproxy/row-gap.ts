/** How the lines of a table are parted, and which of their columns are read, in order. */
export interface RowShape {
  readonly separator: string
  readonly places: readonly number[]
}

/** Unused columns of a line between two that are read: where they begin and end. */
export interface RowGap {
  readonly from: number
  readonly to: number
  readonly separators: number
}

/** All gaps of a line, in order. None where quotes may hide a separator, and none at the end of a line. */
export function gapsOf(line: string, { separator, places }: RowShape): readonly RowGap[] {
  if (line.includes('"')) return []
  const gaps: RowGap[] = []
  let [from, columns, start] = [0, 0, 0]
  for (let column = 0, place = 0; place < places.length; column += 1) {
    const end = line.indexOf(separator, start)
    if (places[place] === column) {
      if (columns > 0) gaps.push({ from, to: start - 1, separators: columns - 1 })
      place += 1
      columns = 0
      from = end + 1
    } else columns += 1
    if (end === -1) break
    start = end + 1
  }
  return gaps
}

/**
 * Whether the next line reads as this one, whose gaps those are: it differs in one of them alone, and has as many columns
 * there. Seconds go by in every row, and it need not be parted again to see that nothing else did.
 */
export function readsAs([line, next]: readonly [string, string], gaps: readonly RowGap[], separator: string): boolean {
  if (gaps.length === 0) return false
  const differs = firstDifference(line, next)
  const gap = gaps.find(({ from, to }) => from <= differs && differs <= to)
  if (gap === undefined) return false
  const end = next.length - (line.length - gap.to)
  return (
    end >= differs && next.slice(end) === line.slice(gap.to) && hasSeparators(next.slice(gap.from, end), gap, separator)
  )
}

function hasSeparators(text: string, { separators }: RowGap, separator: string): boolean {
  let found = 0
  for (const character of text) {
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
