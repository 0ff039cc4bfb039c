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
 * How long a machine has slept in all: its lid was closed, or it was suspended. Then the time since boot and the wall clock went ahead
 * of the monotonic clock, both by the same time (clock_gettime(2)). One alone is no sleep: a wall clock is set, and the time since boot
 * of a container is for a while that of its host where lxcfs is away. What was counted is never taken back: a Lease that is renewed
 * meanwhile would look younger than it is. Only a virtual machine that is paused from outside sees no time pass by any of them.
 */
export class MachineSleep {
  readonly #clocks: MachineClocks
  #read: { readonly at: number; readonly wallAheadMs: number }
  /** How far the time since boot was ahead when a sleep was last counted, or a leap of it was not. */
  #aheadMs: number
  #sleptMs = 0

  constructor(clocks: MachineClocks) {
    this.#clocks = clocks
    this.#read = this.#now()
    this.#aheadMs = clocks.uptimeMs() - clocks.monoMs()
  }

  ms(): number {
    const now = this.#now()
    const isKnown = now.at - this.#read.at < READ_EVERY_MS
    const before = this.#read
    if (isKnown && Math.abs(now.wallAheadMs - before.wallAheadMs) < SET_BY_MS) return this.#sleptMs
    this.#read = now
    const aheadMs = this.#clocks.uptimeMs() - now.at
    const wentMs = aheadMs - this.#aheadMs
    if (Math.abs(wentMs) < LEAST_SLEEP_MS) return this.#sleptMs
    // The machine may have slept since the wall clock was read.
    this.#read = this.#now()
    this.#aheadMs = aheadMs
    this.#sleptMs += Math.max(0, Math.min(wentMs, this.#read.wallAheadMs - before.wallAheadMs))
    return this.#sleptMs
  }

  #now() {
    const at = this.#clocks.monoMs()
    return { at, wallAheadMs: this.#clocks.wallMs() - at }
  }
}
