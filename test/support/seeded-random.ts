import type { Random } from '../../src/ground/ports/random.ts'

/** Mulberry32: the same seed, the same draws. */
export class SeededRandom implements Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  hex(bytes: number): string {
    return Array.from({ length: bytes }, () =>
      Math.floor(this.next() * 256)
        .toString(16)
        .padStart(2, '0'),
    ).join('')
  }
}
