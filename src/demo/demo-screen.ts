import type { CliContext } from '../cli/cli-context.ts'
import type { OutputModes } from '../cli/output-options.ts'
import { LivePainter, paintedLine } from '../ground/text/terminal/live-painter.ts'
import { type Line, paintLine } from '../ground/text/terminal/style.ts'
import { timeText } from '../ground/text/time-text.ts'

/** The present line of a plan; undefined: none. */
type LiveLine = () => Line | undefined

/** Lines that stay, and below them one for each plan that is under way. */
export class DemoScreen {
  readonly #context: Pick<CliContext, 'err' | 'clock'>
  readonly #modes: OutputModes
  readonly #painter: LivePainter
  readonly #lives: LiveLine[] = []

  constructor(context: Pick<CliContext, 'err' | 'clock'>, modes: OutputModes) {
    this.#context = context
    this.#modes = modes
    this.#painter = new LivePainter(context.err)
  }

  get nowMs(): number {
    return this.#context.clock.monoMs()
  }

  show(live: LiveLine): void {
    this.#lives.push(live)
  }

  say(line: Line): void {
    if (this.#isSilent) return
    const { err, clock } = this.#context
    const text = paintLine([`${timeText(clock.wallMs())} `, ...line], this.#modes.errStyle)
    if (this.#modes.progress === 'live') this.#draw([text])
    else err.write(`${text}\n`)
  }

  refresh(): void {
    if (!this.#isSilent && this.#modes.progress === 'live') this.#draw([])
  }

  close(): void {
    this.#painter.close()
  }

  restoreCursor(): void {
    this.#painter.restoreCursor()
  }

  get #isSilent(): boolean {
    return this.#modes.progress === 'none' || this.#modes.level === 0
  }

  #draw(permanent: readonly string[]): void {
    const cells = Math.max(1, this.#context.err.size().columns - 1)
    const live = this.#lives.flatMap((line) => {
      const shown = line()
      return shown === undefined ? [] : [paintedLine(paintLine(shown, this.#modes.errStyle, cells))]
    })
    this.#painter.draw(permanent, live)
  }
}
