import { cellWidth } from '../cell-width.ts'
import type { TextSink } from './text-sink.ts'

// DEC private modes: 2026 synchronized output (a frame is shown as a whole), 25 the cursor.
const BEGIN_FRAME = '\x1b[?2026h'
const END_FRAME = '\x1b[?2026l'
const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const CLEAR_BELOW = '\x1b[J'

/**
 * Lines that stay, above a few lines that are painted anew. One write for each frame; no alternate screen, so scrollback is the
 * log. A coloured line has to be passed with its width in cells.
 */
export class LivePainter {
  readonly #sink: TextSink
  #live: readonly PaintedLine[] = []
  #drawnAt = 0
  #open = false

  constructor(sink: TextSink) {
    this.#sink = sink
  }

  /** Writes `permanent` so that it stays, and `live` below it, in place of the last live lines. */
  draw(permanent: readonly string[], live: readonly PaintedLine[]): void {
    const start = this.#open ? '' : HIDE_CURSOR
    this.#open = true
    const { columns } = this.#sink.size()
    const text = [...permanent, ...live.map((line) => line.text)].map((line) => `${line}\n`).join('')
    this.#sink.write(`${BEGIN_FRAME}${start}${this.#erase(columns)}${text}${END_FRAME}`)
    this.#live = live
    this.#drawnAt = columns
  }

  /** Removes the live lines and restores the cursor; nothing more is drawn. Safe to call twice. */
  close(permanent: readonly string[] = []): void {
    if (!this.#open && permanent.length === 0) return
    const text = permanent.map((line) => `${line}\n`).join('')
    const erase = this.#open ? this.#erase(this.#sink.size().columns) : ''
    this.#sink.write(this.#open ? `${BEGIN_FRAME}${erase}${text}${SHOW_CURSOR}${END_FRAME}` : text)
    this.#live = []
    this.#open = false
  }

  /** Restores only the cursor, for an exit that has no time for more. */
  restoreCursor(): void {
    if (this.#open) this.#sink.write(SHOW_CURSOR)
  }

  /**
   * Goes to the first live line and clears the rest. After the terminal became narrower than a line, it is not known whether
   * the line was wrapped or cut: then the old frame stays and the new one begins below, since a stale copy is better than lost
   * lines of the log.
   */
  #erase(columns: number): string {
    if (this.#live.length === 0) return ''
    const cut = columns < this.#drawnAt && this.#live.some((line) => line.cells > columns)
    return cut ? '' : `\x1b[${this.#live.length}A\r${CLEAR_BELOW}`
  }
}

/** A line as it is written, with its width in cells. */
export interface PaintedLine {
  readonly text: string
  readonly cells: number
}

/** `text` may contain colour codes, which have no width. */
export const paintedLine = (text: string): PaintedLine => ({
  text,
  cells: cellWidth(text.replace(/\x1b\[[0-9;]*m/g, '')),
})
