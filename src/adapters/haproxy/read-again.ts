import { gapsOf, type RowGap, type RowShape, readsAs } from './row-gap.ts'

export interface RowParser<R> extends RowShape {
  /** All of the line that its row is made of. */
  readonly cellsOf: (line: string) => readonly string[]
  readonly parse: (cells: readonly string[]) => R
}

interface KnownRow<R> {
  readonly line: string
  readonly cells: readonly string[]
  readonly row: R
  /** None until the line has changed: most never do. */
  readonly gaps: readonly RowGap[]
}

/** The lines of a table as they were read. */
export interface ReadTable<R> {
  readonly text: string
  /** Where each line begins in the text. */
  readonly starts: readonly number[]
  readonly known: readonly KnownRow<R>[]
}

export const NOTHING_READ = { text: '', starts: [], known: [] } as const satisfies ReadTable<never>

/** So many lines are compared at once, before each is looked at alone. */
const GROUP = 32
const LINE_END = 10

/** Reads lines, one at least; those that read as they did last time, at the same place in the table, are not parted again. */
export function readAgain<R>(text: string, last: ReadTable<R>, parser: RowParser<R>): ReadTable<R> {
  const known: KnownRow<R>[] = []
  const starts: number[] = []
  for (let start = 0; start <= text.length; ) {
    const at = known.length
    const end = sameUpTo(text, start, { last, at })
    if (end !== undefined) {
      const shift = start - (last.starts[at] ?? 0)
      for (let next = at; next < at + GROUP && next < last.known.length; next += 1) {
        const row = last.known[next]
        if (row !== undefined) known.push(row)
        starts.push((last.starts[next] ?? 0) + shift)
      }
      start = end + 1
      continue
    }
    for (; start <= text.length && known.length < at + GROUP; start += (known.at(-1)?.line.length ?? 0) + 1) {
      starts.push(start)
      known.push(rowAt(text, start, { last: last.known[known.length], parser }))
    }
  }
  return { text, starts, known }
}

/** Where the lines end that are a group of last time, letter by letter; undefined where they are not. */
function sameUpTo<R>(
  text: string,
  start: number,
  { last, at }: { readonly last: ReadTable<R>; readonly at: number },
): number | undefined {
  const from = last.starts[at]
  if (from === undefined) return undefined
  const to = (last.starts[at + GROUP] ?? last.text.length + 1) - 1
  const end = start + to - from
  return endsLine(text, end) && text.slice(start, end) === last.text.slice(from, to) ? end : undefined
}

const endsLine = (text: string, at: number): boolean => at === text.length || text.charCodeAt(at) === LINE_END

function rowAt<R>(
  text: string,
  start: number,
  { last, parser }: { readonly last: KnownRow<R> | undefined; readonly parser: RowParser<R> },
): KnownRow<R> {
  if (last !== undefined) {
    const end = start + last.line.length
    if (endsLine(text, end) && text.slice(start, end) === last.line) return last
  }
  const end = text.indexOf('\n', start)
  return readLine(text.slice(start, end === -1 ? text.length : end), last, parser)
}

function readLine<R>(line: string, last: KnownRow<R> | undefined, parser: RowParser<R>): KnownRow<R> {
  const { cellsOf, parse, separator } = parser
  if (last !== undefined && readsAs([last.line, line], last.gaps, separator)) {
    const gaps = line.length === last.line.length ? last.gaps : gapsOf(line, parser)
    return { line, cells: last.cells, row: last.row, gaps }
  }
  const found = cellsOf(line)
  if (last === undefined || last.cells.length !== found.length) {
    return { line, cells: found, row: parse(found), gaps: [] }
  }
  let isSame = true
  // The text of last time where it reads the same: a cell may be a piece of the whole answer, and keep all of it alive.
  const cells = found.map((cell, at) => {
    const before = last.cells[at]
    if (cell === before) return before
    isSame = false
    return cell
  })
  return { line, cells, row: isSame ? last.row : parse(cells), gaps: gapsOf(line, parser) }
}
