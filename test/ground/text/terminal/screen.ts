import type { TerminalSize, TextSink } from '../../../../src/ground/text/terminal/text-sink.ts'

/**
 * A terminal as far as frames need one: lines with scrollback, cursor up, return, clear below, the cursor's visibility.
 * It does not fold lines: one that is too wide is an error. What it cannot read is an error too.
 */
export class Screen implements TextSink {
  lines: string[] = ['']
  cursorShown = true
  /** Each write on its own: a frame must be one. */
  readonly writes: string[] = []
  #row = 0
  #size: TerminalSize

  constructor(columns = 80, rows = 24) {
    this.#size = { columns, rows }
  }

  size(): TerminalSize {
    return this.#size
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows }
  }

  flushed(): Promise<void> {
    return Promise.resolve()
  }

  /** What a person sees, without the empty end. */
  get text(): string {
    return this.lines.join('\n').trimEnd()
  }

  write(text: string): void {
    this.writes.push(text)
    for (const [part] of text.matchAll(/\x1b\[[?0-9;]*[A-Za-z]|\n|\r|[^\x1b\n\r]+/g)) this.#take(part)
  }

  #take(part: string): void {
    const up = /^\x1b\[(\d+)A$/.exec(part)
    if (part === '\n') this.#down()
    else if (part === '\r' || part === '\x1b[?2026h' || part === '\x1b[?2026l') return
    else if (part === '\x1b[J') this.lines = [...this.lines.slice(0, this.#row), '']
    else if (part === '\x1b[?25l') this.cursorShown = false
    else if (part === '\x1b[?25h') this.cursorShown = true
    else if (up !== null) this.#row -= Number(up[1])
    else if (/^\x1b\[[0-9;]*m$/.test(part)) return
    else if (part.startsWith('\x1b')) throw new Error(`unknown sequence ${JSON.stringify(part)}`)
    else this.lines[this.#row] = `${this.lines[this.#row] ?? ''}${part}`
    if (this.#row < 0) throw new Error('above the first line')
  }

  #down(): void {
    this.#row += 1
    if (this.lines[this.#row] === undefined) this.lines[this.#row] = ''
  }
}
