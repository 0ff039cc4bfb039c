/** A page to probe is small. A larger body fails, so that an endless one cannot hold the prober. */
export const BODY_LIMIT_BYTES = 4 * 1024 * 1024

/** Reads a body as it comes and keeps only as much of it as the search needs. */
export class BodyCheck {
  readonly #wanted: Buffer | undefined
  #tail: Buffer = Buffer.alloc(0)
  #found: boolean
  #bytes = 0

  constructor(expectBody: string | undefined) {
    this.#wanted = expectBody === undefined ? undefined : Buffer.from(expectBody)
    this.#found = this.#wanted === undefined || this.#wanted.length === 0
  }

  /** False beyond the limit. */
  take(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    if (!this.#found && this.#wanted !== undefined) {
      const text = Buffer.concat([this.#tail, chunk])
      this.#found = text.includes(this.#wanted)
      this.#tail = text.subarray(Math.max(0, text.length - this.#wanted.length + 1))
    }
    return this.#bytes <= BODY_LIMIT_BYTES
  }

  get found(): boolean {
    return this.#found
  }
}
