/** When a server's state changed, in whole seconds of its process. */
export class StateTimes {
  readonly #nowMs: () => number
  #changedAtS: number
  #downS = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#changedAtS = this.nowS
  }

  get nowS(): number {
    return Math.floor(this.#nowMs() / 1_000)
  }

  /** `lastchg`. */
  get sinceChangeS(): number {
    return this.nowS - this.#changedAtS
  }

  /** The times that are over: stopped, or in drain. HAProxy forgets those in maint when a server comes back. */
  get downS(): number {
    return this.#downS
  }

  mark(): void {
    this.#changedAtS = this.nowS
  }

  /** The time since the last change counts as down. */
  addDown(): void {
    this.#downS += this.sinceChangeS
  }

  adopt(other: StateTimes): void {
    this.#changedAtS = other.#changedAtS
  }
}
