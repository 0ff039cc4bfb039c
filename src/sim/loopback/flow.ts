import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'

/** TCP sends unconfirmed data again after 200 ms, then doubles the wait each time (RFC 6298, TCP_RTO_MIN of Linux). */
const FIRST_RESEND_MS = 200
const RESEND_SPREAD_MS = 1_400

/**
 * The state of a connection at the node where it enters. `stalled`: that machine is dark, and neither end hears anything;
 * `unknown`: the machine is on again and has forgotten the connection, and resets it as soon as the client sends something.
 */
export class Flow {
  readonly #parts: { readonly timers: Timers; readonly random: Random }
  #state: 'live' | 'stalled' | 'unknown' | 'over' = 'live'
  #hasPending = false
  #onStall: () => void = () => undefined
  #onReset: () => void = () => undefined

  constructor(parts: { readonly timers: Timers; readonly random: Random }) {
    this.#parts = parts
  }

  get isLive(): boolean {
    return this.#state === 'live'
  }

  /** `stall` and `reset` are called at most once each, and never within the call that sends data. */
  on(hooks: { readonly stall: () => void; readonly reset: () => void }): void {
    this.#onStall = hooks.stall
    this.#onReset = hooks.reset
  }

  /** The client sends something. True: it may pass. */
  passes(): boolean {
    if (this.#state === 'stalled') this.#hasPending = true
    if (this.#state === 'unknown') this.#resetAfter(0)
    return this.#state === 'live'
  }

  stall(): void {
    if (this.#state !== 'live') return
    this.#state = 'stalled'
    this.#onStall()
  }

  /** The node is on again; data that the client sent meanwhile is sent again soon. */
  forget(): void {
    if (this.#state !== 'stalled') return
    this.#state = 'unknown'
    if (this.#hasPending) this.#resetAfter(FIRST_RESEND_MS + this.#parts.random.next() * RESEND_SPREAD_MS)
  }

  /** The client has closed it. */
  end(): void {
    this.#state = 'over'
  }

  #resetAfter(ms: number): void {
    this.#parts.timers.later(ms, () => {
      if (this.#state !== 'unknown') return
      this.#state = 'over'
      this.#onReset()
    })
  }
}
