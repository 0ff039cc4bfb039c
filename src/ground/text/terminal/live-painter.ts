import { cellWidth } from '../cell-width.ts'
import type { TextSink } from './text-sink.ts'

// DEC private modes: 2026 synchronized output (a frame is shown whole), 25 the cursor.
const BEGIN_FRAME = '\x1b[?2026h'
const END_FRAME = '\x1b[?2026l'
const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const CLEAR_BELOW = '\x1b[J'

/**
 * Lines that stay, above a few lines that are drawn anew. One write per frame; no alternate screen, so scrollback is the
 * log. Lines are plain text in `widths` terms: colour codes must be passed with their width in cells.
 */
export class LivePainter {
  readonly #sink: TextSink
  #live: readonly PaintedLine[] = []
  #drawnAt = 0
  #open = false

  constructor(sink: TextSink) {
    this.#sink = sink
  }

  /** Writes `permanent` for good and `live` below it, in place of the live lines before. */
  draw(permanent: readonly string[], live: readonly PaintedLine[]): void {
    const start = this.#open ? '' : HIDE_CURSOR
    this.#open = true
    const { columns } = this.#sink.size()
    const text = [...permanent, ...live.map((line) => line.text)].map((line) => `${line}\n`).join('')
    this.#sink.write(`${BEGIN_FRAME}${start}${this.#erase(columns)}${text}${END_FRAME}`)
    this.#live = live
    this.#drawnAt = columns
  }

  /** Takes the live lines away and gives the cursor back; nothing more is drawn. Safe to call twice. */
  close(permanent: readonly string[] = []): void {
    if (!this.#open && permanent.length === 0) return
    const text = permanent.map((line) => `${line}\n`).join('')
    const erase = this.#open ? this.#erase(this.#sink.size().columns) : ''
    this.#sink.write(this.#open ? `${BEGIN_FRAME}${erase}${text}${SHOW_CURSOR}${END_FRAME}` : text)
    this.#live = []
    this.#open = false
  }

  /** The cursor alone, for a way out that has no time for more. */
  restoreCursor(): void {
    if (this.#open) this.#sink.write(SHOW_CURSOR)
  }

  /**
   * Up to the first live line and clear. After the terminal became narrower than a line, it is not known whether it folded
   * or cut that line: then the old frame stays and the new one begins below, since a stale copy is better than lines of
   * the log eaten.
   */
  #erase(columns: number): string {
    if (this.#live.length === 0) return ''
    const cut = columns < this.#drawnAt && this.#live.some((line) => line.cells > columns)
    return cut ? '' : `\x1b[${this.#live.length}A\r${CLEAR_BELOW}`
  }
}

/** A line as it is written, with the cells it takes up. */
export interface PaintedLine {
  readonly text: string
  readonly cells: number
}

/** `text` may carry colours; they take no cells. */
export const paintedLine = (text: string): PaintedLine => ({
  text,
  cells: cellWidth(text.replace(/\x1b\[[0-9;]*m/g, '')),
})
