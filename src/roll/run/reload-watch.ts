import {
  type FailedPoll,
  foldAway,
  foldReloads,
  type OutServer,
  type TimedReading,
} from '../decide/availability/reload-spans.ts'
import type { ReloadSpan } from '../model/reload-span.ts'

/**
 * Which instance was reloaded when, or had no process, and how long a server served because of it that must be out: by the readings of the polls.
 */
export class ReloadWatch {
  readonly #mustBeOut: () => readonly OutServer[]
  readonly #last = new Map<string, TimedReading>()
  #spans: readonly ReloadSpan[] = []

  /** As a poller calls it. */
  readonly hears = {
    onAnswer: (timed: TimedReading): void => this.answered(timed),
    onUnreached: (poll: FailedPoll): void => this.failed(poll),
  }

  constructor(mustBeOut: () => readonly OutServer[]) {
    this.#mustBeOut = mustBeOut
  }

  answered(timed: TimedReading): void {
    const key = `${timed.balancer} ${timed.reading.instance}`
    const before = this.#last.get(key)
    this.#spans = foldReloads(this.#spans, { before, now: timed, mustBeOut: this.#mustBeOut() })
    this.#last.set(key, timed)
  }

  /** An instance that has never answered is waited for before the roll begins. */
  failed(poll: FailedPoll): void {
    const before = this.#last.get(`${poll.balancer} ${poll.instance}`)
    if (before !== undefined) this.#spans = foldAway(this.#spans, poll, before)
  }

  all(): readonly ReloadSpan[] {
    return this.#spans
  }
}
