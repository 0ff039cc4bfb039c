/** The text of a row but for the cells between the two, which run with the time. */
interface Line {
  readonly header: string
  readonly head: string
  readonly tail: string
}

/** What stands where the running cells do: numbers, or nothing. */
const RUNNING = /^-?\d*$/

/**
 * A table is read several times a second, and hardly a row changes but for the time since its last change, which nobody reads: a row
 * whose other text is as it was is not read anew.
 */
export class KnownLines<Row extends object> {
  readonly #separator: string
  readonly #running: readonly string[]
  readonly #lines = new WeakMap<Row, Line>()

  /** `running`: names of columns that stand side by side. */
  constructor(separator: string, running: readonly string[]) {
    this.#separator = separator
    this.#running = running
  }

  /** The same object as before where nothing has changed. */
  read(line: string, { header, columns, before, parse }: Reading<Row>): Row {
    const known = before && this.#lines.get(before)
    if (before !== undefined && known?.header === header && this.#isSame(line, known)) return before
    const own = copyOf(line)
    const row = parse(own)
    const ownHeader = known?.header === header ? known.header : copyOf(header)
    this.#lines.set(row, { header: ownHeader, ...this.#split(own, columns) })
    return row
  }

  #isSame(line: string, { head, tail }: Line): boolean {
    if (line.length < head.length + tail.length || !line.startsWith(head) || !line.endsWith(tail)) return false
    const between = line.slice(head.length, line.length - tail.length)
    if (tail === '') return between === ''
    const cells = between.split(this.#separator)
    return cells.length === this.#running.length && cells.every((cell) => RUNNING.test(cell))
  }

  /** `tail` is empty where the table has no such columns. */
  #split(line: string, columns: readonly string[]): Pick<Line, 'head' | 'tail'> {
    const at = columns.indexOf(this.#running[0] ?? '')
    if (at < 1 || this.#running.some((name, i) => columns[at + i] !== name)) return { head: line, tail: '' }
    const headEnd = this.#behind(line, at, 0)
    const tailFrom = this.#behind(line, this.#running.length, headEnd) - 1
    return tailFrom < headEnd ? { head: line, tail: '' } : { head: line.slice(0, headEnd), tail: line.slice(tailFrom) }
  }

  /** Where the text behind so many separators begins; 0 where there are not as many. */
  #behind(line: string, separators: number, from: number): number {
    let at = from
    for (let i = 0; i < separators; i += 1) {
      at = line.indexOf(this.#separator, at) + 1
      if (at === 0) return 0
    }
    return at
  }
}

/** A part of a text keeps all of it in memory: a row that is kept for long would keep the whole answer. */
const copyOf = (text: string): string => Buffer.from(text).toString()

interface Reading<Row> {
  readonly header: string
  readonly columns: readonly string[]
  /** The row that stood at this place in the answer before. */
  readonly before: Row | undefined
  readonly parse: (line: string) => Row
}
