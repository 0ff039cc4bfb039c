import { escapeForeign } from '../ground/model/foreign-text.ts'
import type { TextSink } from '../ground/text/terminal/text-sink.ts'

/**
 * How parts that know no screen say a line (a warning, an answer to Ctrl-Z). While a live region is drawn the line goes
 * through it: written past it, it would push the region down and the next frame would eat it.
 */
export class LinePrinter {
  readonly #sink: TextSink
  #print: ((text: string) => void) | undefined

  constructor(sink: TextSink) {
    this.#sink = sink
  }

  print(text: string): void {
    if (this.#print === undefined) this.#sink.write(`${escapeForeign(text, 2000)}\n`)
    else this.#print(text)
  }

  /** From now on through `print`. Returns how to take it back. */
  through(print: (text: string) => void): () => void {
    this.#print = print
    return () => {
      this.#print = undefined
    }
  }
}
