interface MachineClocks {
  /** CLOCK_MONOTONIC: stands still while the machine sleeps. */
  readonly monoMs: () => number
  /** CLOCK_BOOTTIME: counts on. To read it takes 20 µs. */
  readonly uptimeMs: () => number
  /** Is set right when the machine wakes. */
  readonly wallMs: () => number
}

/** The time since boot has hundredths of a second, on some systems whole ones. */
const LEAST_SLEEP_MS = 2_000
/** The time since boot is read where the wall clock was set by this much, and from time to time. */
const SET_BY_MS = 500
const READ_EVERY_MS = 1_000

/**
 * How long a machine has slept in all: its lid was closed, or it was suspended. That is how far the time since boot went ahead of
 * the monotonic clock (clock_gettime(2)), whatever the wall clock is set to. Only a virtual machine that is paused from outside sees no
 * time pass by either clock.
 */
export class MachineSleep {
  readonly #clocks: MachineClocks
  readonly #aheadAtFirstMs: number
  #read: { readonly at: number; readonly wallAheadMs: number }
  #sleptMs = 0

  constructor(clocks: MachineClocks) {
    this.#clocks = clocks
    this.#aheadAtFirstMs = clocks.uptimeMs() - clocks.monoMs()
    this.#read = this.#now()
  }

  ms(): number {
    const now = this.#now()
    const isKnown = now.at - this.#read.at < READ_EVERY_MS
    if (isKnown && Math.abs(now.wallAheadMs - this.#read.wallAheadMs) < SET_BY_MS) return this.#sleptMs
    this.#read = now
    const sleptMs = this.#clocks.uptimeMs() - now.at - this.#aheadAtFirstMs
    if (sleptMs - this.#sleptMs >= LEAST_SLEEP_MS) this.#sleptMs = sleptMs
    return this.#sleptMs
  }

  #now() {
    const at = this.#clocks.monoMs()
    return { at, wallAheadMs: this.#clocks.wallMs() - at }
  }
}
