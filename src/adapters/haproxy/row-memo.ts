export interface RowParser<R> {
  /** All of the line that its row is made of. */
  readonly cellsOf: (line: string) => readonly string[]
  readonly parse: (cells: readonly string[]) => R
}

interface Known<R> {
  readonly line: string
  readonly cells: readonly string[]
  readonly row: R
}

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

  /** The parser goes by the header and the line alone. Nothing is kept of a table of which it refuses a line. */
  rows(header: string, lines: readonly string[], parser: RowParser<R>): readonly R[] {
    const last = header === this.#header ? this.#known : []
    let isSame = lines.length === last.length
    const known = lines.map((line, at) => {
      const before = last[at]
      const now = knownAgain(line, before, parser)
      if (now.row !== before?.row) isSame = false
      return now
    })
    this.#header = header
    this.#known = known
    if (!isSame) this.#rows = known.map(({ row }) => row)
    return this.#rows
  }
}

function knownAgain<R>(line: string, last: Known<R> | undefined, { cellsOf, parse }: RowParser<R>): Known<R> {
  if (last?.line === line) return last
  const found = cellsOf(line)
  if (last === undefined || last.cells.length !== found.length) return { line, cells: found, row: parse(found) }
  let isSame = true
  // The text of last time where it reads the same: a cell may be a piece of the whole answer, and keep all of it alive.
  const cells = found.map((cell, at) => {
    const before = last.cells[at]
    if (cell === before) return before
    isSame = false
    return cell
  })
  return { line, cells, row: isSame ? last.row : parse(cells) }
}
