import { NOTHING_READ, type ReadTable, type RowParser, readAgain } from './read-again.ts'

/**
 * The rows of a table that is read again and again: a line that reads as it did last time is the row that it was then,
 * and so is one that differs only in cells that are not read.
 */
export class RowMemo<R extends object, P extends RowParser<R> = RowParser<R>> {
  #answer: string | undefined
  #header = ''
  #read: ReadTable<R> = NOTHING_READ
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
    const last = header === this.#header ? this.#read : NOTHING_READ
    const read = lines === undefined ? NOTHING_READ : readAgain(lines, last, parser)
    const isSame = read.known.length === this.#rows.length && isEach(read, this.#rows)
    this.#header = header
    this.#read = read
    if (!isSame) this.#rows = read.known.map(({ row }) => row)
    return this.#rows
  }
}

function isEach<R>({ known }: ReadTable<R>, rows: readonly R[]): boolean {
  for (let at = 0; at < rows.length; at += 1) if (known[at]?.row !== rows[at]) return false
  return true
}
