import { escapeForeign } from '../ground/model/foreign-text.ts'
import type { TextSink } from '../ground/text/terminal/text-sink.ts'

/**
 * How parts without a screen print a line (a warning, an answer to Ctrl-Z). While a live region is drawn the line goes through
 * it: otherwise it would move the region down and the next frame would overwrite it.
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

  /** Lines go through `print` from now on. Returns a function that ends that. */
  through(print: (text: string) => void): () => void {
    this.#print = print
    return () => {
      this.#print = undefined
    }
  }
}
