import type { Clock } from '../../ground/ports/clock.ts'
import type { SocketEnd } from './socket-row.ts'

/** A port that was closed is not given to another connection to the same place before (tcp_tw_reuse, ip-sysctl.rst). */
const KNOWN_FOR_MS = 1_000
/** However long ago they were: a table that is read while the port is asked may not have the very last yet. */
const KEPT = 3

/** From where this process has just asked a port: the other side keeps the connection for a moment longer. */
export class OwnProbes {
  readonly #clock: Clock
  #asked: readonly (SocketEnd & { readonly at: number })[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  connectedFrom(end: SocketEnd): void {
    const now = this.#clock.monoMs()
    const known = this.#asked.filter(({ at }, i, all) => now - at <= KNOWN_FOR_MS || i > all.length - KEPT)
    this.#asked = [...known, { ...end, at: now }]
  }

  has(end: SocketEnd): boolean {
    const now = this.#clock.monoMs()
    return this.#asked.some((own) => isSame(own, end) && now - own.at <= KNOWN_FOR_MS)
  }

  /** The last that got through, the newest first. */
  lastPorts(): readonly number[] {
    return this.#asked
      .slice(-KEPT)
      .map(({ port }) => port)
      .toReversed()
  }
}

const isSame = (one: SocketEnd, other: SocketEnd): boolean => one.port === other.port && one.address === other.address
