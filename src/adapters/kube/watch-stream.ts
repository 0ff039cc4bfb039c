import type { IncomingMessage } from 'node:http'
import { WorldError } from '../../model/world-error.ts'
import type { Clock } from '../../ports/clock.ts'
import { LineReader } from './line-reader.ts'
import { within } from './within.ts'

export interface WatchStreamParts {
  readonly body: IncomingMessage
  readonly clock: Clock
  /** How long silence is taken for life. */
  readonly idleMs: number
}

/** The lines of one watch, under a limit of silence. */
export class WatchStream {
  readonly #parts: WatchStreamParts
  readonly #lines: LineReader

  constructor(parts: WatchStreamParts) {
    this.#parts = parts
    this.#lines = new LineReader(parts.body)
  }

  /** The next line, or undefined where the server has ended the watch. Rejects with WorldError or the signal's reason. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const line = this.#lines.shift()
      if (line !== undefined && line !== '') return line
      if (line === undefined && !(await this.#more(signal))) return undefined
    }
  }

  close(): void {
    this.#parts.body.destroy()
  }

  #more(signal: AbortSignal): Promise<boolean> {
    const { clock, idleMs } = this.#parts
    const facts = { code: 'KUBE_TIMEOUT', retry: 'backoff' } as const
    const late = () => new WorldError(`the watch said nothing for ${Math.round(idleMs / 1000)} s`, facts)
    return within({ clock, ms: idleMs, signal, late }, () => this.#lines.more())
  }
}
