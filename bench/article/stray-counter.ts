import { setTimeout as pause } from 'node:timers/promises'
import { askSocket } from '../../test/support/roll-bed/ask-socket.ts'

const LOOK_EVERY_MS = 100

/** One server's line of `show stat`. */
interface ServerLine {
  readonly out: boolean
  readonly sent: number
}

/**
 * Counts from outside what HAProxy sent to servers that it had out of rotation: how far `stot` rose between two looks
 * that both saw the server out (HAProxy management guide, 9.1: `stot` counts sessions, not checks).
 */
export class StrayCounter {
  readonly #socket: string
  readonly #over = new AbortController()
  readonly #watching: Promise<void>
  #before: ReadonlyMap<string, ServerLine> = new Map()
  #strays = 0

  constructor(socket: string) {
    this.#socket = socket
    this.#watching = this.#watch()
  }

  async stop(): Promise<number> {
    this.#over.abort()
    await this.#watching
    return this.#strays
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const now = serverLines(await askSocket(this.#socket, 'show stat'))
      for (const [name, line] of now) {
        const before = this.#before.get(name)
        if (before?.out === true && line.out) this.#strays += line.sent - before.sent
      }
      this.#before = now
      await pause(LOOK_EVERY_MS)
    }
  }
}

function serverLines(csv: string): ReadonlyMap<string, ServerLine> {
  const [header = '', ...lines] = csv.split('\n')
  const names = header.replace(/^# /, '').split(',')
  const rows = lines
    .filter((line) => line !== '')
    .map((line) => new Map(line.split(',').map((value, i) => [names[i] ?? '', value])))
  return new Map(
    rows
      .filter((row) => row.get('svname') !== 'FRONTEND' && row.get('svname') !== 'BACKEND')
      .map((row) => [
        `${row.get('pxname')}/${row.get('svname')}`,
        { out: row.get('status')?.startsWith('UP') !== true, sent: Number(row.get('stot')) },
      ]),
  )
}
