import type { Level } from '../../../cli/output-options.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import { type Line, paintLines, type Style } from '../../../ground/text/terminal/style.ts'
import type { TextSink } from '../../../ground/text/terminal/text-sink.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { reduceRoll } from '../../report/view/reduce-roll.ts'
import { currentHold, currentStep, emptyRollView, type RollView } from '../../report/view/roll-view.ts'
import type { ProgressView } from '../progress-view.ts'
import { eventLines, saidLine } from './event-lines.ts'
import { heartbeatText } from './heartbeat-text.ts'
import { HoldBlocks } from './hold-blocks.ts'
import { loadText } from './node-text.ts'
import { WindowLines } from './window-lines.ts'

export interface ProgressParts {
  readonly sink: TextSink
  readonly clock: Clock
  readonly style: Style
  readonly level: Level
}

const TICK_MS = 1000
/** A reader who sees nothing for so long wants to know what a step waits for. */
const HEARTBEAT_MS = 10_000
/** Why a hold waits stands above. Some CI systems end a job after minutes without output. */
const HELD_HEARTBEAT_MS = 60_000
const BLOCK_COLUMNS = 81

/** Progress as a log: one line for each thing that happens, and a heartbeat while nothing does. */
export class PlainProgress implements ProgressView {
  readonly #parts: ProgressParts
  readonly #holds = new HoldBlocks()
  readonly #windows = new WindowLines()
  #view: RollView = emptyRollView
  #spokenAt: number
  /** Node → when its heartbeat was shown last. */
  readonly #beats = new Map<string, number>()

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
      this.#beat()
    }
  }

  close(): void {
    this.#print(this.#windows.rest(this.#view))
  }

  restoreCursor(): void {
    // The cursor was never hidden.
  }

  #beat(): void {
    if (this.#parts.level === 0 || this.#view.end !== undefined) return
    const now = this.#parts.clock.wallMs()
    const inWork = this.#view.nodes.filter(({ state }) => state === 'inWork')
    for (const node of inWork) {
      const step = currentStep(node)
      const everyMs = currentHold(step) === undefined ? HEARTBEAT_MS : HELD_HEARTBEAT_MS
      const [word, text] = [step?.step ?? 'roll', heartbeatText(this.#view, node, now)]
      if (this.#isDue(node.name, everyMs)) this.#write([saidLine(this.#view, { node: node.name, word, text }, now)])
    }
    if (inWork.length > 0 || this.#view.load?.inBaseline !== true || !this.#isDue('', HEARTBEAT_MS)) return
    const text = `traffic is measured before the roll begins, ${loadText(this.#view)}`
    this.#write([saidLine(this.#view, { word: 'baseline', text }, now)])
  }

  #isDue(beat: string, everyMs: number): boolean {
    const now = this.#parts.clock.monoMs()
    if (now - Math.max(this.#spokenAt, this.#beats.get(beat) ?? 0) < everyMs) return false
    this.#beats.set(beat, now)
    return true
  }

  #print(lines: readonly Line[]): void {
    if (lines.length === 0) return
    this.#spokenAt = this.#parts.clock.monoMs()
    this.#write(lines)
  }

  #write(lines: readonly Line[]): void {
    this.#parts.sink.write(paintLines(lines, this.#parts.style))
  }
}
