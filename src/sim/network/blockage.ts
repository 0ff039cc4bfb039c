/** A way that is blocked for now. TCP keeps what it could not deliver and says it again; so does this. */
export class Blockage {
  #held: (() => void)[] = []

  hold(run: () => void): void {
    this.#held.push(run)
  }

  /** What was held, in order; it is the caller's to say again. */
  lift(): readonly (() => void)[] {
    const held = this.#held
    this.#held = []
    return held
  }
}
