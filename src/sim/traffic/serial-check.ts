import type { Clock } from '../../ground/ports/clock.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination, Network } from '../network/network.ts'
import { type Heard, Line } from './line.ts'

export interface SerialCheckParts {
  readonly network: Network
  readonly clock: Clock
  readonly timers: Timers
  readonly to: Destination
  readonly path: string
  readonly limitMs: number
}

const EVERY_MS = 1_000

/**
 * One request a second over a connection of its own; the next a second after the last one began, or when that one has its
 * answer: a monitor that does one thing at a time. An outage of a second may cost it one request or none.
 */
export class SerialCheck {
  readonly #parts: SerialCheckParts
  #asked = 0
  #failed = 0
  #callOff: (() => void) | undefined
  #isStopped = false

  constructor(parts: SerialCheckParts) {
    this.#parts = parts
  }

  get asked(): number {
    return this.#asked
  }

  get failed(): number {
    return this.#failed
  }

  start(afterMs: number): void {
    this.#callOff = this.#parts.timers.later(afterMs, () => this.#ask())
  }

  /** What is under way is not counted as asked any more. */
  stop(): void {
    this.#isStopped = true
    this.#callOff?.()
  }

  #ask(): void {
    const { network, clock, timers, to, path, limitMs } = this.#parts
    const line = new Line({ network, to, isKept: false })
    const beganAt = clock.monoMs()
    const landed = (isOk: boolean): void => {
      if (this.#isStopped) return
      this.#asked += 1
      if (!isOk) this.#failed += 1
      this.start(Math.max(0, beganAt + EVERY_MS - clock.monoMs()))
    }
    const callOffLimit = timers.later(limitMs, () => {
      line.giveUp()
      landed(false)
    })
    line.ask({ path }, (heard) => {
      callOffLimit()
      landed(isGood(heard))
    })
  }
}

const isGood = (heard: Heard): boolean =>
  heard.kind === 'reply' && heard.reply.status >= 200 && heard.reply.status < 400
