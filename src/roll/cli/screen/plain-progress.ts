import type { Level } from '../../../cli/output-options.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import { type Line, paintLines, type Style } from '../../../ground/text/terminal/style.ts'
import type { TextSink } from '../../../ground/text/terminal/text-sink.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { reduceRoll } from '../../report/view/reduce-roll.ts'
import { currentStep, emptyRollView, type RollView } from '../../report/view/roll-view.ts'
import type { ProgressView } from '../progress-view.ts'
import { eventLines, saidLine } from './event-lines.ts'
import { heartbeatText } from './heartbeat-text.ts'
import { HoldBlocks } from './hold-blocks.ts'
import { WindowLines } from './window-lines.ts'

export interface ProgressParts {
  readonly sink: TextSink
  readonly clock: Clock
  readonly style: Style
  readonly level: Level
}

const TICK_MS = 1000
/** Some CI systems end a job after minutes without output; a regular heartbeat shows that it lives. */
const HEARTBEAT_MS = 60_000
const BLOCK_COLUMNS = 81

/** Progress as a log: one line for each thing that happens, and a heartbeat while nothing does. */
export class PlainProgress implements ProgressView {
  readonly #parts: ProgressParts
  readonly #holds = new HoldBlocks()
  readonly #windows = new WindowLines()
  #view: RollView = emptyRollView
  #spokenAt: number

  constructor(parts: ProgressParts) {
    this.#parts = parts
    this.#spokenAt = parts.clock.monoMs()
  }

  before(events: readonly StampedEvent[]): void {
    this.#view = events.reduce(reduceRoll, this.#view)
  }

  event(event: StampedEvent): void {
    this.#view = reduceRoll(this.#view, event)
    this.#windows.note(event, this.#parts.clock.wallMs())
    this.#print(eventLines(this.#view, event, this.#parts.level))
  }

  say(text: string): void {
    this.#print(text.split('\n').map((line): Line => [line]))
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#parts.clock.sleep(TICK_MS, signal)
      const now = this.#parts.clock.wallMs()
      this.#print(this.#windows.due(this.#view, now))
      this.#print(this.#holds.due(this.#view, now, BLOCK_COLUMNS))
      if (this.#parts.clock.monoMs() - this.#spokenAt >= HEARTBEAT_MS) this.#beat()
    }
  }

  close(): void {
    this.#print(this.#windows.rest(this.#view))
  }

  restoreCursor(): void {
    // The cursor was never hidden.
  }

  #beat(): void {
    this.#spokenAt = this.#parts.clock.monoMs()
    if (this.#parts.level === 0 || this.#view.end !== undefined) return
    const now = this.#parts.clock.wallMs()
    const lines = this.#view.nodes
      .filter(({ state }) => state === 'inWork')
      .map((node) => {
        const word = currentStep(node)?.step ?? 'roll'
        return saidLine(this.#view, { node: node.name, word, text: heartbeatText(this.#view, node, now) }, now)
      })
    this.#print(lines)
  }

  #print(lines: readonly Line[]): void {
    if (lines.length === 0) return
    this.#spokenAt = this.#parts.clock.monoMs()
    this.#parts.sink.write(paintLines(lines, this.#parts.style))
  }
}
