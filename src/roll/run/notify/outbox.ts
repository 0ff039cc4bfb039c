import { OVER } from '../../../ground/model/over.ts'
import type { Clock } from '../../../ground/ports/clock.ts'

/** A roll says less in hours. What is beyond it is left out, the oldest first. */
const WAITING_MAX = 50

interface OutboxParts<Message> {
  readonly clock: Clock
  /** Never rejects, and settles soon once the signal is aborted. */
  readonly send: (message: Message, signal: AbortSignal) => Promise<void>
}

/** Sends messages one after the other, beside the roll: nothing waits for it but the end, and that not for long. */
export class Outbox<Message> {
  readonly #parts: OutboxParts<Message>
  readonly #waiting: Message[] = []
  readonly #work = new AbortController()
  #sending: Promise<void> | undefined

  constructor(parts: OutboxParts<Message>) {
    this.#parts = parts
  }

  put(message: Message): void {
    this.#waiting.push(message)
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift()
    this.#sending ??= this.#sendAll()
  }

  /** Waits until all is sent. After the limit the signal is aborted, also for the messages that still wait. */
  async close(limitMs: number): Promise<void> {
    const timer = new AbortController()
    const late = this.#parts.clock.sleep(limitMs, timer.signal).then(
      () => this.#work.abort(OVER),
      () => undefined,
    )
    await this.#sending
    timer.abort(OVER)
    await late
  }

  async #sendAll(): Promise<void> {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift())
      await this.#parts.send(message, this.#work.signal)
    // In the same turn in which nothing was left: what is put next begins anew.
    this.#sending = undefined
  }
}
