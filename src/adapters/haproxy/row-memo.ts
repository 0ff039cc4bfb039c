import { gapsOf, type RowGap, type RowShape, readsAs } from './row-gap.ts'

export interface RowParser<R> extends RowShape {
  /** All of the line that its row is made of. */
  readonly cellsOf: (line: string) => readonly string[]
  readonly parse: (cells: readonly string[]) => R
}

interface Known<R> {
  readonly line: string
  readonly cells: readonly string[]
  readonly row: R
  /** None until the line has changed: most never do. */
  readonly gaps: readonly RowGap[]
}

const LINE_END = 10

/**
 * The rows of a table that is read again and again: a line that reads as it did last time is the row that it was then,
 * and so is one that differs only in cells that nobody reads.
 */
export class RowMemo<R extends object, P extends RowParser<R> = RowParser<R>> {
  #answer: string | undefined
  #header = ''
  #known: readonly Known<R>[] = []
  #rows: readonly R[] = []
  #parser: { readonly header: string; readonly parser: P } | undefined

  /** The parser of that header: the one of last time where the header is the same. */
  parser(header: string, make: () => P): P {
    if (this.#parser?.header !== header) this.#parser = { header, parser: make() }
    return this.#parser.parser
  }

  /** The rows of a whole answer; `read` parts it into header and lines and hands them to `rows`, or reads it otherwise. */
  of(answer: string, read: () => readonly R[]): readonly R[] {
    if (answer === this.#answer) return this.#rows
    this.#answer = undefined
    const rows = read()
    if (rows === this.#rows) this.#answer = answer
    return rows
  }

  /**
   * `lines`: what follows the header and its line end; undefined where nothing does. The parser goes by the header and the
   * line alone. Nothing is kept of a table of which it refuses a line.
   */
  rows(header: string, lines: string | undefined, parser: RowParser<R>): readonly R[] {
    const last = header === this.#header ? this.#known : []
    const { known, isSame } = readAgain(lines, last, parser)
    this.#header = header
    this.#known = known
    if (!isSame) this.#rows = known.map(({ row }) => row)
    return this.#rows
  }
}

interface ReadAgain<R> {
  readonly known: readonly Known<R>[]
  /** Every row is the one of last time. */
  readonly isSame: boolean
}

function readAgain<R>(lines: string | undefined, last: readonly Known<R>[], parser: RowParser<R>): ReadAgain<R> {
  const known: Known<R>[] = []
  let isSame = true
  if (lines === undefined) return { known, isSame: last.length === 0 }
  for (let start = 0; start <= lines.length; ) {
    const before = last[known.length]
    const isRead = before !== undefined && isThere(before.line, lines, start)
    const now = isRead ? before : knownAgain(lineAt(lines, start), before, parser)
    if (now.row !== before?.row) isSame = false
    known.push(now)
    start += now.line.length + 1
  }
  return { known, isSame: isSame && known.length === last.length }
}

function lineAt(lines: string, start: number): string {
  const end = lines.indexOf('\n', start)
  return lines.slice(start, end === -1 ? lines.length : end)
}

/** The whole line, up to where it ends. */
function isThere(line: string, lines: string, start: number): boolean {
  const end = start + line.length
  return (end === lines.length || lines.charCodeAt(end) === LINE_END) && lines.slice(start, end) === line
}

function knownAgain<R>(line: string, last: Known<R> | undefined, parser: RowParser<R>): Known<R> {
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
