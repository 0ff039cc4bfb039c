/** Why the work ends early: Ctrl-C, SIGTERM or SIGHUP. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
}

/**
 * The person at the keyboard. The first Ctrl-C asks for an orderly end; the second one ends at once. While the process must not
 * be suspended, Ctrl-Z gets an answer and is not obeyed.
 */
export class Interrupts {
  readonly #asked = new AbortController()
  readonly #now = new AbortController()
  #suspendRefusal: (() => string | undefined) | undefined

  /** Aborted by the first press. */
  get signal(): AbortSignal {
    return this.#asked.signal
  }

  /** Aborted by the second. */
  get now(): AbortSignal {
    return this.#now.signal
  }

  press(): void {
    const again = this.#asked.signal.aborted
    ;(again ? this.#now : this.#asked).abort(new InterruptedError('interrupted'))
  }

  /** `answer` returns why not, or undefined where it may be suspended now. Absent: there is no answer any more. */
  refuseSuspend(answer?: () => string | undefined): void {
    this.#suspendRefusal = answer
  }

  /** A command is running that answers a Ctrl-Z. */
  get isWatched(): boolean {
    return this.#suspendRefusal !== undefined
  }

  suspendRefused(): string | undefined {
    return this.#suspendRefusal?.()
  }
}
