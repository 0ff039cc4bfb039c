import type { Timers } from '../../ground/ports/timers.ts'

/** Taints that evict running pods are written in turns of their own (scheduler.NodeEvictionPeriod). */
const PASS_MS = 100

const NEVER = Number.POSITIVE_INFINITY

/**
 * Nodes that wait for the taint which evicts their pods, one after the other: where many fall silent at once, the controller
 * cannot know whether they are gone or only unreachable (node_lifecycle_controller.go, zoneNoExecuteTainter;
 * scheduler/rate_limited_queue.go).
 */
export class TaintQueue {
  readonly #timers: Timers
  readonly #taint: (name: string) => void
  readonly #names = new Set<string>()
  #everyMs: number
  /** The last turn was a short time ago. */
  #isPausing = false
  #callOffPass: (() => void) | undefined
  #callOffPause = (): void => undefined

  /** `everyMs` is the time between two turns; `Infinity`: no node gets its turn. */
  constructor(timers: Timers, everyMs: number, taint: (name: string) => void) {
    this.#timers = timers
    this.#everyMs = everyMs
    this.#taint = taint
  }

  add(name: string): void {
    this.#names.add(name)
    this.#callOffPass ??= this.#timers.later(PASS_MS, () => {
      this.#callOffPass = undefined
      this.#pass()
    })
  }

  delete(name: string): void {
    this.#names.delete(name)
  }

  /** A node that already waits then waits a whole period of the new pace. */
  setPace(everyMs: number): void {
    if (everyMs === this.#everyMs) return
    const isWaiting = this.#isPausing || this.#everyMs === NEVER
    this.#everyMs = everyMs
    this.#callOffPause()
    this.#isPausing = false
    if (isWaiting) this.#pause()
  }

  end(): void {
    this.#callOffPass?.()
    this.#callOffPause()
  }

  #pass(): void {
    const [name] = this.#names
    if (name === undefined || this.#isPausing || this.#everyMs === NEVER) return
    this.#names.delete(name)
    this.#taint(name)
    this.#pause()
  }

  #pause(): void {
    if (this.#everyMs === NEVER) return
    this.#isPausing = true
    this.#callOffPause = this.#timers.later(this.#everyMs, () => {
      this.#isPausing = false
      this.#pass()
    })
  }
}
