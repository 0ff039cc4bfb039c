import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { PodProcess } from '../plane/data-plane.ts'
import { Lifetime } from './lifetime.ts'
import type { ReadinessSpec } from './node-pod.ts'

interface ReadinessProbeParts {
  readonly timers: Timers
  readonly random: SeededRandom
  readonly process: PodProcess
  readonly spec: ReadinessSpec
  readonly onChange: (isReady: boolean) => void
}

/** From the start of a container until it can have been asked for the first time. */
const FIRST_MS = 350

/**
 * Asks a container at every period whether it is ready (pkg/kubelet/prober/worker.go). Where the plane tells of what may have
 * changed, a probe that has nothing to find out rests until then.
 */
export class ReadinessProbe {
  readonly #parts: ReadinessProbeParts
  readonly #life: Lifetime
  readonly #periodMs: number
  #isReady = false
  /** Answers in a row that say otherwise. */
  #others = 0
  #isResting = false
  #canRest = false

  constructor(parts: ReadinessProbeParts) {
    const { timers, random, process, spec } = parts
    this.#parts = parts
    this.#life = new Lifetime(timers)
    this.#periodMs = 1_000 * (spec.periodSeconds ?? 1)
    if (process.onReadiness !== undefined) {
      this.#canRest = true
      process.onReadiness(() => this.#wake())
    }
    const firstMs = random.between(Math.min(FIRST_MS, this.#periodMs), this.#periodMs)
    this.#askAfter(1_000 * (spec.initialDelaySeconds ?? 0) + firstMs)
  }

  end(): void {
    this.#life.end()
  }

  #wake(): void {
    if (!this.#isResting) return
    this.#isResting = false
    this.#askAfter(this.#parts.random.between(0, this.#periodMs))
  }

  #askAfter(ms: number): void {
    this.#life.later(ms, () => this.#ask())
  }

  #ask(): void {
    const { process, spec, onChange } = this.#parts
    const isReady = process.isReady()
    this.#others = isReady === this.#isReady ? 0 : this.#others + 1
    const needed = isReady ? (spec.successThreshold ?? 1) : (spec.failureThreshold ?? 3)
    this.#isResting = this.#canRest && this.#others === 0
    if (this.#others >= needed) {
      this.#isReady = isReady
      this.#others = 0
      onChange(isReady)
    }
    if (!this.#isResting) this.#askAfter(this.#periodMs)
  }
}
