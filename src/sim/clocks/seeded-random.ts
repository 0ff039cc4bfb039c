import { createHash } from 'node:crypto'
import type { Random } from '../../ground/ports/random.ts'

/**
 * Chance that is the same every time: sfc32 (Chris Doty-Humphrey, PractRand) from a seed. A fork has a stream of its own,
 * named, so that more or fewer draws in one place change nothing elsewhere.
 */
export class SeededRandom implements Random {
  readonly #seed: string
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    this.#seed = seed
    const digest = createHash('sha256').update(seed).digest()
    this.#a = digest.readInt32LE(0)
    this.#b = digest.readInt32LE(4)
    this.#c = digest.readInt32LE(8)
  }

  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.#seed}/${name}`)
  }

  next(): number {
    return this.#draw() / 2 ** 32
  }

  hex(bytes: number): string {
    let text = ''
    while (text.length < bytes * 2) text += this.#draw().toString(16).padStart(8, '0')
    return text.slice(0, bytes * 2)
  }

  /** A whole number from 0 up to and without `below`. */
  below(below: number): number {
    return Math.floor(this.next() * below)
  }

  /** Uniform between the two. */
  between(lowest: number, highest: number): number {
    return lowest + this.next() * (highest - lowest)
  }

  #draw(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum >>> 0
  }
}
