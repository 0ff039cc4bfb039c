import { Blockage } from './blockage.ts'

/** Pairs of hosts between which nothing passes, while both are on. */
export class Partitions {
  readonly #between = new Map<string, Blockage>()

  get isAny(): boolean {
    return this.#between.size > 0
  }

  /** Nothing where the pair is cut already. */
  cut(a: string, b: string): void {
    const key = keyOf(a, b)
    if (!this.#between.has(key)) this.#between.set(key, new Blockage())
  }

  /** What was held back between the two. */
  heal(a: string, b: string): readonly (() => void)[] {
    const key = keyOf(a, b)
    const blockage = this.#between.get(key)
    this.#between.delete(key)
    return blockage?.lift() ?? []
  }

  between(a: string, b: string): Blockage | undefined {
    return this.isAny ? this.#between.get(keyOf(a, b)) : undefined
  }
}

const keyOf = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`)
