/**
 * A process that can die: from then on nothing that it waits for ever comes, and nothing that it asks for is sent. What
 * was sent before is still on its way.
 */
export class Lifeline {
  readonly #end = new AbortController()

  get isDead(): boolean {
    return this.#end.signal.aborted
  }

  /** Aborted by its death. */
  get ended(): AbortSignal {
    return this.#end.signal
  }

  /** As by `kill -9`. */
  cut(): void {
    this.#end.abort(new Error('the process was killed'))
  }

  /** The work, as long as the process lives to do it and to hear of it. */
  guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) return new Promise(() => undefined)
    return new Promise((resolve, reject) => {
      work().then(
        (value) => {
          if (!this.isDead) resolve(value)
        },
        (error: unknown) => {
          if (!this.isDead) reject(error)
        },
      )
    })
  }
}
