import { foldReloads, type OutServer, type TimedReading } from '../decide/availability/reload-spans.ts'
import type { ReloadSpan } from '../model/reload-span.ts'

/**
 * Which instance was reloaded when, and how long a server served because of it that must be out: by the readings of the polls.
 */
export class ReloadWatch {
  readonly #mustBeOut: () => readonly OutServer[]
  readonly #last = new Map<string, TimedReading>()
  #spans: readonly ReloadSpan[] = []

  constructor(mustBeOut: () => readonly OutServer[]) {
    this.#mustBeOut = mustBeOut
  }

  answered(timed: TimedReading): void {
    const key = `${timed.balancer} ${timed.reading.instance}`
    const before = this.#last.get(key)
    this.#spans = foldReloads(this.#spans, { before, now: timed, mustBeOut: this.#mustBeOut() })
    this.#last.set(key, timed)
  }

  all(): readonly ReloadSpan[] {
    return this.#spans
  }
}
