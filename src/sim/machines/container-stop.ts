import type { Timers } from '../../ground/ports/timers.ts'
import type { ContainerProcess } from '../plane/data-plane.ts'
import { Lifetime } from './lifetime.ts'

interface ContainerStopParts {
  readonly timers: Timers
  readonly process: ContainerProcess
  readonly preStopMs: number
  readonly graceMs: number
}

/** Between SIGTERM and SIGKILL, however short the grace (kuberuntime_container.go, minimumGracePeriodInSeconds). */
const GRACE_MIN_MS = 2_000

/** preStop, SIGTERM, and SIGKILL once the grace is over; the hook is within the grace. */
export class ContainerStop {
  readonly #process: ContainerProcess
  readonly #preStopMs: number
  readonly #pending: Lifetime
  readonly #graceMs: number
  #isTerminated = false

  constructor({ timers, process, preStopMs, graceMs }: ContainerStopParts) {
    this.#pending = new Lifetime(timers)
    this.#process = process
    this.#preStopMs = Math.min(preStopMs, graceMs)
    this.#graceMs = graceMs
  }

  begin(): void {
    if (this.#preStopMs === 0) this.#endWithin(this.#graceMs)
    else this.#pending.later(this.#preStopMs, () => this.#endWithin(this.#graceMs - this.#preStopMs))
  }

  /** SIGTERM, once. */
  terminate(): void {
    if (this.#isTerminated) return
    this.#isTerminated = true
    this.#process.terminate()
  }

  /** The process has ended. */
  end(): void {
    this.#pending.end()
  }

  #endWithin(graceMs: number): void {
    this.#pending.later(Math.max(GRACE_MIN_MS, graceMs), () => this.#process.kill())
    this.terminate()
  }
}
