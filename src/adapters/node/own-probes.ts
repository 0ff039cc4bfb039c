import type { Clock } from '../../ports/clock.ts'
import type { SocketEnd } from './socket-row.ts'

/** A port that was closed is not given to another connection to the same place before (tcp_tw_reuse, ip-sysctl.rst). */
const KNOWN_FOR_MS = 1_000

/** From where this process has just asked a port: whoever is asked has the connection for a moment longer. */
export class OwnProbes {
  readonly #clock: Clock
  #asked: readonly (SocketEnd & { readonly at: number })[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  connectedFrom(end: SocketEnd): void {
    const now = this.#clock.monoMs()
    this.#asked = [...this.#asked.filter(({ at }) => now - at <= KNOWN_FOR_MS), { ...end, at: now }]
  }

  has(end: SocketEnd): boolean {
    const now = this.#clock.monoMs()
    return this.#asked.some((own) => isSame(own, end) && now - own.at <= KNOWN_FOR_MS)
  }

  /** Whether it was the last to get through, however long ago. */
  isLast(end: SocketEnd): boolean {
    const last = this.#asked.at(-1)
    return last !== undefined && isSame(last, end)
  }
}

const isSame = (one: SocketEnd, other: SocketEnd): boolean => one.port === other.port && one.address === other.address
