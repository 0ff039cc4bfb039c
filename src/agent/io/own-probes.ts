import type { Clock } from '../../ground/ports/clock.ts'
import type { SocketEnd } from './socket-row.ts'

/**
 * The kernel does not use a closed port for another connection to the same place before this time (tcp_tw_reuse,
 * ip-sysctl.rst).
 */
const KNOWN_FOR_MS = 1_000
/** Kept however old they are: a table that is read during a check may not have the very last one yet. */
const KEPT = 3

/** The source ports of this process's last checks: the other side keeps such a connection for a moment longer. */
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

  /** The last ones that succeeded, the newest first. */
  lastPorts(): readonly number[] {
    return this.#asked
      .slice(-KEPT)
      .map(({ port }) => port)
      .toReversed()
  }
}

const isSame = (one: SocketEnd, other: SocketEnd): boolean => one.port === other.port && one.address === other.address
