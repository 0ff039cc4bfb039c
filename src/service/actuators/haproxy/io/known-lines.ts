/** The text of a row but for the cells between the two, which run with the time. */
interface Line {
  readonly header: string
  readonly head: string
  readonly tail: string
}

const LINE_END = 10
const [MINUS, ZERO, NINE] = [45, 48, 57]

/**
 * The same table is read several times a second. From one reading to the next, most rows differ only in the time since their last
 * change, which no reader uses. Such a row is not parsed again: the row from the reading before is returned.
 */
export class KnownLines<Row> {
  readonly #separator: string
  readonly #running: readonly string[]
  /** By the rows of a reading, in their order. */
  readonly #lines = new WeakMap<readonly Row[], readonly Line[]>()
  /** Of the last reading. Lines of one header have the same text, so that it is compared at once. */
  #header = ''

  /** `separator`: one character. `running`: names of columns that stand side by side. */
  constructor(separator: string, running: readonly string[]) {
    this.#separator = separator
    this.#running = running
  }

  /** The rows of a text, the same objects as before where nothing has changed. */
  read(text: string, { header, columns, before, parse }: Reading<Row>): readonly Row[] {
    if (header !== this.#header) this.#header = copyOf(header)
    const ownHeader = this.#header
    const knownLines = this.#lines.get(before) ?? []
    const rows: Row[] = []
    const lines: Line[] = []
    for (let at = 0; at <= text.length; ) {
      const last = before[rows.length]
      const known = knownLines[rows.length]
      const knownEnd = known?.header === ownHeader ? this.#endAt(text, at, known) : -1
      if (last !== undefined && known !== undefined && knownEnd >= 0) {
        rows.push(last)
        lines.push(known)
        at = knownEnd + 1
        continue
      }
      const end = text.indexOf('\n', at)
      const line = copyOf(end === -1 ? text.slice(at) : text.slice(at, end))
      rows.push(parse(line))
      lines.push({ header: ownHeader, ...this.#split(line, columns) })
      at = end === -1 ? text.length + 1 : end + 1
    }
    this.#lines.set(rows, lines)
    return rows
  }

  /** The place of the line's end if the line that begins at `at` is that one, but for its running cells; else -1. */
  #endAt(text: string, at: number, { head, tail }: Line): number {
    if (!isAt(text, head, at)) return -1
    const tailAt = tail === '' ? at + head.length : this.#behindRunning(text, at + head.length)
    if (tailAt === -1 || !isAt(text, tail, tailAt)) return -1
    const end = tailAt + tail.length
    return end === text.length || text.charCodeAt(end) === LINE_END ? end : -1
  }

  /** Where the separator behind the running cells is: numbers, or nothing. -1 where something else stands there. */
  #behindRunning(text: string, from: number): number {
    const separator = this.#separator.charCodeAt(0)
    let left = this.#running.length
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === separator) left -= 1
      else if (code !== MINUS && (code < ZERO || code > NINE)) return -1
      if (left === 0) return at
    }
    return -1
  }

  /** `tail` begins with the separator behind the running cells; it is empty where the table has no such columns. */
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

/** `startsWith` compares one character after the other, and takes four times as long for rows of hundreds of them. */
const isAt = (text: string, part: string, at: number): boolean => text.slice(at, at + part.length) === part

/** A part of a text keeps all of it in memory: a row that is kept for long would keep the whole answer. */
const copyOf = (text: string): string => Buffer.from(text).toString()

interface Reading<Row> {
  readonly header: string
  readonly columns: readonly string[]
  /** The rows of the answer before. */
  readonly before: readonly Row[]
  readonly parse: (line: string) => Row
}
