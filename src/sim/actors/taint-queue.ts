import type { Timers } from '../../ground/ports/timers.ts'

/** Taints against pods that are there have a turn of their own (scheduler.NodeEvictionPeriod). */
const PASS_MS = 100

const NEVER = Number.POSITIVE_INFINITY

/**
 * Nodes that wait for the taint which drives their pods out, one after the other: where many fall silent at once, the
 * controller cannot tell whether they are gone or only unreachable (node_lifecycle_controller.go, zoneNoExecuteTainter;
 * scheduler/rate_limited_queue.go).
 */
export class TaintQueue {
  readonly #timers: Timers
  readonly #taint: (name: string) => void
  readonly #names = new Set<string>()
  #everyMs: number
  /** While one has had its turn a short time ago. */
  #isPausing = false
  #callOffPass: (() => void) | undefined
  #callOffPause = (): void => undefined

  /** `everyMs` lie between two turns; `Infinity`: no node gets its turn. */
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

  /** Where one would have to wait at the pace of before, it waits a whole time at the new one. */
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
