import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'

export type Seen = (event: StampedEvent) => boolean

/** The events of one process of a roll, for a test that waits for one of them. */
export class EventLog {
  readonly events: StampedEvent[] = []
  readonly #waiting = new Set<{ readonly seen: Seen; readonly resolve: (event: StampedEvent) => void }>()

  take(event: StampedEvent): void {
    this.events.push(event)
    for (const waiting of this.#waiting) {
      if (!waiting.seen(event)) continue
      this.#waiting.delete(waiting)
      waiting.resolve(event)
    }
  }

  /** The first event of that kind, seen already or to come. */
  first(seen: Seen): Promise<StampedEvent> {
    const found = this.events.find(seen)
    if (found !== undefined) return Promise.resolve(found)
    const { promise, resolve } = Promise.withResolvers<StampedEvent>()
    this.#waiting.add({ seen, resolve })
    return promise
  }
}
