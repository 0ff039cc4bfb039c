import { escapeForeign } from '../model/foreign-text.ts'

const LINE_BYTES_MAX = 2_048
const LINES_MAX = 16
const SAID_MAX = 300

/**
 * Picks the lines with our mark out of a machine's output. The rest, be it megabytes or one endless line, is dropped as it
 * comes.
 */
export class MarkedLines {
  readonly #mark: string
  readonly #found = new Map<string, string>()
  #line = Buffer.alloc(0)
  #tooLong = false

  constructor(mark: string) {
    this.#mark = mark
  }

  take(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      this.#extend(chunk.subarray(from, end))
      this.#endLine()
      from = end + 1
    }
    this.#extend(chunk.subarray(from))
  }

  has(word: string): boolean {
    return this.#found.has(word)
  }

  /** The text behind the word in its first line; escaped, and at most `limit` characters before the escapes. */
  said(word: string, limit = SAID_MAX): string | undefined {
    const text = this.#found.get(word)
    return text === undefined ? undefined : escapeForeign(text, limit)
  }

  #extend(part: Buffer): void {
    if (this.#line.length + part.length > LINE_BYTES_MAX) this.#tooLong = true
    if (!this.#tooLong) this.#line = Buffer.concat([this.#line, part])
  }

  #endLine(): void {
    const [mark, word, ...rest] = this.#tooLong ? [] : this.#line.toString('utf8').split(' ')
    if (mark === this.#mark && word !== undefined && !this.#found.has(word) && this.#found.size < LINES_MAX) {
      this.#found.set(word, rest.join(' ').trim())
    }
    this.#line = Buffer.alloc(0)
    this.#tooLong = false
  }
}
