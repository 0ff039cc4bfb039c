import type { Readable } from 'node:stream'
import { WorldError } from '../model/world-error.ts'
import { brokenOff } from './read-body.ts'

/** An object in etcd is at most some 1.5 MB; its JSON may be several times that. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024

/** A stream of text, line by line: lines that have arrived are returned without waiting. */
export class LineReader {
  readonly #chunks: AsyncIterator<unknown>
  #lines: string[] = []
  #next = 0
  #rest = ''

  constructor(stream: Readable) {
    stream.setEncoding('utf8')
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** The next line, if it has arrived. */
  shift(): string | undefined {
    return this.#lines[this.#next++]
  }

  /** Waits for more; false at the end. Rejects with WorldError where the stream breaks or has a line without end. */
  async more(): Promise<boolean> {
    const { value, done } = await this.#read()
    if (done) return false
    // A partial line is completed once, and not searched again with each piece that comes.
    const text = String(value)
    const end = text.lastIndexOf('\n')
    this.#lines = end === -1 ? [] : `${this.#rest}${text.slice(0, end)}`.split('\n')
    this.#next = 0
    this.#rest = end === -1 ? this.#rest + text : text.slice(end + 1)
    if (this.#rest.length <= LINE_LENGTH_MAX) return true
    throw new WorldError('the API server sends a line that does not end', { code: 'KUBE_REPLY', retry: 'backoff' })
  }

  async #read(): Promise<IteratorResult<unknown>> {
    try {
      return await this.#chunks.next()
    } catch (error) {
      throw brokenOff(error)
    }
  }
}
