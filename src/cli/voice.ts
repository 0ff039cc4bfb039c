import { escapeForeign } from '../ground/model/foreign-text.ts'
import type { TextSink } from '../ground/text/terminal/text-sink.ts'

/**
 * How parts that know no screen say a line (a warning, an answer to Ctrl-Z). While a live region is drawn the line goes
 * through it: written past it, it would push the region down and the next frame would eat it.
 */
export class Voice {
  readonly #sink: TextSink
  #speak: ((text: string) => void) | undefined

  constructor(sink: TextSink) {
    this.#sink = sink
  }

  say(text: string): void {
    if (this.#speak === undefined) this.#sink.write(`${escapeForeign(text, 2000)}\n`)
    else this.#speak(text)
  }

  /** From now on through `speak`. Returns how to take it back. */
  through(speak: (text: string) => void): () => void {
    this.#speak = speak
    return () => {
      this.#speak = undefined
    }
  }
}
