import type { Lane, ProbeTarget } from '../../ground/model/probe.ts'
import type { MonoMs, WallMs } from '../../ground/model/time.ts'

/** A request under way. */
export interface Flight {
  readonly target: ProbeTarget
  readonly lane: Lane
  readonly dueAt: MonoMs
  readonly scheduledAt: WallMs
  readonly startedAt: MonoMs
  /** How long the prober had stood still in all when this request began. */
  readonly stalledBeforeMs: number
  /** How long the machine had slept in all when this request began. */
  readonly asleepBeforeMs: number
  readonly controller: AbortController
}

/** The requests under way, and the time at which each is given up. */
export class Flights {
  readonly #flights = new Set<Flight>()
  #stalledMs = 0

  get stalledMs(): number {
    return this.#stalledMs
  }

  get count(): number {
    return this.#flights.size
  }

  add(flight: Flight): void {
    this.#flights.add(flight)
  }

  remove(flight: Flight): void {
    this.#flights.delete(flight)
  }

  /** The prober stood still: answers may have come that were not read yet, so no request is given up for that time. */
  stalled(ms: number): void {
    this.#stalledMs += ms
  }

  abortOverdue(now: MonoMs): void {
    for (const flight of this.#flights) {
      const usedMs = now - flight.startedAt - (this.#stalledMs - flight.stalledBeforeMs)
      if (usedMs >= flight.target.timeoutMs && !flight.controller.signal.aborted) {
        flight.controller.abort(new Error(`no full answer within ${flight.target.timeoutMs} ms`))
      }
    }
  }

  /** The scheduled time of the earliest request without a verdict. */
  earliest(): WallMs | undefined {
    let earliest: WallMs | undefined
    for (const { scheduledAt } of this.#flights) {
      if (earliest === undefined || scheduledAt < earliest) earliest = scheduledAt
    }
    return earliest
  }
}
