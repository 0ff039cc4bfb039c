interface MachineClocks {
  /** CLOCK_MONOTONIC: stands still while the machine sleeps. */
  readonly monoMs: () => number
  /** CLOCK_BOOTTIME: counts on. */
  readonly uptimeMs: () => number
}

/** The time since boot has hundredths of a second, on some systems whole ones. */
const LEAST_SLEEP_MS = 2_000

/**
 * How long a machine has slept in all: its lid was closed, or it was suspended. That is how far the time since boot went ahead of
 * the monotonic clock (clock_gettime(2)), whatever the wall clock is set to. Only a virtual machine that is paused from outside sees no
 * time pass by either clock.
 */
export class MachineSleep {
  readonly #clocks: MachineClocks
  readonly #aheadAtFirstMs: number
  #sleptMs = 0

  constructor(clocks: MachineClocks) {
    this.#clocks = clocks
    this.#aheadAtFirstMs = this.#aheadMs()
  }

  ms(): number {
    const sleptMs = this.#aheadMs() - this.#aheadAtFirstMs
    if (sleptMs - this.#sleptMs >= LEAST_SLEEP_MS) this.#sleptMs = sleptMs
    return this.#sleptMs
  }

  #aheadMs(): number {
    return this.#clocks.uptimeMs() - this.#clocks.monoMs()
  }
}
