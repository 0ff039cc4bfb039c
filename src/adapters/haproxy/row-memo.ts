type Row = Readonly<Record<string, unknown>>

/**
 * The rows of a table that is read again and again: a line that reads as it did last time is the row that it was then,
 * and so is one that differs in nothing that we read. Whoever keeps something by a row finds it again.
 */
export class RowMemo<R extends object> {
  #header = ''
  #lines: readonly string[] = []
  #rows: readonly R[] = []

  /** `parse` goes by the header and the line alone. Nothing is kept of a table of which it refuses a line. */
  rows(header: string, lines: readonly string[], parse: (line: string) => R): readonly R[] {
    const [before, last] = header === this.#header ? [this.#lines, this.#rows] : [[], []]
    const rows = lines.map((line, at) => {
      const known = last[at]
      if (known !== undefined && before[at] === line) return known
      const row = parse(line)
      return known !== undefined && isSame(known as Row, row as Row) ? known : row
    })
    const same = rows.length === last.length && rows.every((row, at) => row === last[at])
    this.#header = header
    this.#lines = lines
    this.#rows = same ? last : rows
    return this.#rows
  }
}

function isSame(known: Row, row: Row): boolean {
  for (const field in row) if (known[field] !== row[field]) return false
  return true
}
