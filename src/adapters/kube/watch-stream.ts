import type { Readable } from 'node:stream'
import type { Clock } from '../../ports/clock.ts'
import { LineReader } from './line-reader.ts'
import { within } from './within.ts'

interface WatchStreamParts {
  readonly body: Readable
  readonly clock: Clock
}

/** `silent`: nothing came for as long as silence is taken for life. */
type StreamAnswer = { readonly type: 'line'; readonly line: string } | { readonly type: 'ended' | 'silent' }

class Silence extends Error {}

/** The lines of one watch, under a limit of silence. */
export class WatchStream {
  readonly #parts: WatchStreamParts
  readonly #lines: LineReader

  constructor(parts: WatchStreamParts) {
    this.#parts = parts
    this.#lines = new LineReader(parts.body)
  }

  /** Silence is taken for life for `idleMs`. Rejects with WorldError where the stream breaks off, or with the signal's reason. */
  async next(idleMs: number, signal: AbortSignal): Promise<StreamAnswer> {
    for (;;) {
      const line = this.#lines.shift()
      if (line !== undefined && line !== '') return { type: 'line', line }
      if (line !== undefined) continue
      const more = await this.#more(idleMs, signal)
      if (more !== 'more') return { type: more }
    }
  }

  close(): void {
    this.#parts.body.destroy()
  }

  async #more(idleMs: number, signal: AbortSignal): Promise<'more' | 'ended' | 'silent'> {
    try {
      const limit = { clock: this.#parts.clock, ms: idleMs, signal, late: () => new Silence() }
      return (await within(limit, () => this.#lines.more())) ? 'more' : 'ended'
    } catch (error) {
      if (error instanceof Silence) return 'silent'
      throw error
    }
  }
}
