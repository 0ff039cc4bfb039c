import { LivePainter, paintedLine } from '../../../ground/text/terminal/live-painter.ts'
import { type Line, paintLine } from '../../../ground/text/terminal/style.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { reduceRoll } from '../../report/view/reduce-roll.ts'
import { emptyRollView, type RollView } from '../../report/view/roll-view.ts'
import type { ProgressView } from '../progress-view.ts'
import { eventLines } from './event-lines.ts'
import { HoldBlocks } from './hold-blocks.ts'
import { liveRegion } from './live-region.ts'
import type { ProgressParts } from './plain-progress.ts'
import { WindowLines } from './window-lines.ts'

/** At most four frames a second, however much happens. */
const FRAME_MS = 250

/** Progress on a terminal: finished lines stay above, what is under way is painted anew below. */
export class LiveProgress implements ProgressView {
  readonly #parts: ProgressParts
  readonly #painter: LivePainter
  readonly #holds = new HoldBlocks()
  readonly #windows = new WindowLines()
  #view: RollView = emptyRollView
  #pending: Line[] = []
  #changed = false
  #drawnSecond = -1
  #closed = false

  constructor(parts: ProgressParts) {
    this.#parts = parts
    this.#painter = new LivePainter(parts.sink)
  }

  before(events: readonly StampedEvent[]): void {
    this.#view = events.reduce(reduceRoll, this.#view)
  }

  event(event: StampedEvent): void {
    this.#view = reduceRoll(this.#view, event)
    this.#windows.note(event, this.#parts.clock.wallMs())
    this.#pending.push(...eventLines(this.#view, event, this.#parts.level))
    this.#changed = true
    if (this.#closed) this.#draw()
  }

  say(text: string): void {
    this.#pending.push(...text.split('\n').map((line): Line => [line]))
    this.#draw()
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#parts.clock.sleep(FRAME_MS, signal)
      const now = this.#parts.clock.wallMs()
      this.#pending.push(...this.#windows.due(this.#view, now))
      this.#pending.push(...this.#holds.due(this.#view, now, this.#parts.sink.size().columns))
      const second = Math.floor(now / 1000)
      if (this.#changed || this.#pending.length > 0 || second !== this.#drawnSecond) this.#draw()
      this.#drawnSecond = second
    }
  }

  close(): void {
    this.#pending.push(...this.#windows.rest(this.#view))
    if (this.#closed && this.#pending.length === 0) return
    this.#closed = true
    this.#painter.close(this.#taken())
  }

  restoreCursor(): void {
    this.#painter.restoreCursor()
  }

  #draw(): void {
    if (this.#closed) {
      this.#painter.close(this.#taken())
      return
    }
    const { clock, sink, style } = this.#parts
    const size = sink.size()
    const region = liveRegion(this.#view, { now: clock.wallMs(), size, style })
    // One column stays free: a full line would wrap, and the next frame would begin one row too low.
    const live = region.map((line) => paintedLine(paintLine(line, style, size.columns - 1)))
    this.#painter.draw(this.#taken(), live)
    this.#changed = false
  }

  #taken(): readonly string[] {
    const lines = this.#pending.map((line) => paintLine(line, this.#parts.style))
    this.#pending = []
    return lines
  }
}
