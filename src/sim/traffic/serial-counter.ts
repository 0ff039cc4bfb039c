import { SerialCheck, type SerialCheckParts } from './serial-check.ts'

interface SerialCounterParts extends SerialCheckParts {
  /** How many checks there are, begun evenly over one second. */
  readonly phases: number
}

/**
 * The measure of one request a second, from every phase: a single check is a throw of the dice, their mean is what it
 * would have counted on average.
 */
export class SerialCounter {
  readonly #checks: readonly SerialCheck[]

  constructor({ phases, ...parts }: SerialCounterParts) {
    this.#checks = Array.from({ length: phases }, () => new SerialCheck(parts))
  }

  start(): void {
    this.#checks.forEach((check, i) => {
      check.start((i * 1_000) / this.#checks.length)
    })
  }

  stop(): void {
    for (const check of this.#checks) check.stop()
  }

  /** Of each phase. */
  get failed(): readonly number[] {
    return this.#checks.map((check) => check.failed)
  }

  get asked(): readonly number[] {
    return this.#checks.map((check) => check.asked)
  }

  get meanFailed(): number {
    return this.failed.reduce((sum, count) => sum + count, 0) / this.#checks.length
  }
}
