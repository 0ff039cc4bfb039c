/** A request that waits until a server has room. */
export interface QueuedRequest<Server> {
  /** It has left the queue, with a place on that server. */
  go(server: Server): void
}

/** The order in which requests began to wait, over all queues. */
let tickets = 0

/** Requests in the order in which they came (HAProxy src/queue.c). */
export class RequestQueue<Server> {
  readonly #waiting = new Map<QueuedRequest<Server>, number>()
  readonly #changed: () => void
  #most = 0

  /** `changed` is called with each change. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  get size(): number {
    return this.#waiting.size
  }

  /** The most that waited at once. */
  get most(): number {
    return this.#most
  }

  add(request: QueuedRequest<Server>): void {
    tickets += 1
    this.#waiting.set(request, tickets)
    this.#most = Math.max(this.#most, this.size)
    this.#changed()
  }

  forget(request: QueuedRequest<Server>): void {
    if (this.#waiting.delete(request)) this.#changed()
  }

  /** Since when the first one waits, as a ticket: a lower one is earlier. */
  get firstTicket(): number {
    for (const ticket of this.#waiting.values()) return ticket
    return Number.POSITIVE_INFINITY
  }

  /** Takes out the request that has waited longest. */
  takeFirst(): QueuedRequest<Server> | undefined {
    for (const request of this.#waiting.keys()) {
      this.forget(request)
      return request
    }
    return undefined
  }
}
