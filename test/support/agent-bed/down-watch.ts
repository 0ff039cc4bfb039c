import { setTimeout as sleep } from 'node:timers/promises'
import { askSocket } from '../roll-bed/ask-socket.ts'

const LOOK_EVERY_MS = 200

/** Looks from now on how many servers of a HAProxy take no traffic at once. */
export class DownWatch {
  readonly #socket: string
  readonly #over = new AbortController()
  readonly #watching: Promise<void>
  #most: readonly string[] = []

  constructor(socket: string) {
    this.#socket = socket
    this.#watching = this.#watch()
  }

  /** Those that were down together when there were the most. */
  async stop(): Promise<readonly string[]> {
    this.#over.abort()
    await this.#watching
    return this.#most
  }

  async #watch(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      const rows = (await askSocket(this.#socket, 'show stat -1 4 -1'))
        .split('\n')
        .filter((row) => row.startsWith('back-'))
      const down = rows.filter((row) => !/,(UP|no check)/.test(row)).map((row) => row.split(',')[1] ?? '')
      if (down.length > this.#most.length) this.#most = down
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}
