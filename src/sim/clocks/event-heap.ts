export interface Event {
  readonly atMs: number
  /** Of two at the same moment the lower one comes first. */
  readonly order: number
  readonly run: () => void
  isOff: boolean
  isDone: boolean
}

/** Children of one event: with four the heap is half as deep as with two, and they lie beside each other. */
const WIDTH = 4

/**
 * Events, the next one first. Their times are kept apart: the search for the next event then reads numbers that are side by
 * side, and not thousands of scattered objects.
 */
export class EventHeap {
  #times: number[] = []
  #events: Event[] = []

  get size(): number {
    return this.#events.length
  }

  get first(): Event | undefined {
    return this.#events[0]
  }

  push(event: Event): void {
    this.#times.push(event.atMs)
    this.#events.push(event)
    this.#rise(this.#events.length - 1, event)
  }

  /** Takes the first one out. */
  pop(): void {
    const last = this.#events.pop()
    this.#times.pop()
    if (last !== undefined && this.#events.length > 0) this.#sink(0, last)
  }

  /** Leaves out those that are called off. */
  sweep(): void {
    this.#events = this.#events.filter(({ isOff }) => !isOff)
    this.#times = this.#events.map(({ atMs }) => atMs)
    for (let at = (this.#events.length - 2) >> 2; at >= 0; at -= 1) {
      const event = this.#events[at]
      if (event !== undefined) this.#sink(at, event)
    }
  }

  #rise(from: number, event: Event): void {
    let at = from
    while (at > 0) {
      const above = Math.floor((at - 1) / WIDTH)
      if (!this.#isBefore(event, above)) break
      this.#move(above, at)
      at = above
    }
    this.#put(at, event)
  }

  #sink(from: number, event: Event): void {
    let at = from
    for (;;) {
      const below = this.#leastBelow(at)
      if (below === -1 || this.#isBefore(event, below)) break
      this.#move(below, at)
      at = below
    }
    this.#put(at, event)
  }

  /** -1 where there is none. */
  #leastBelow(at: number): number {
    const first = WIDTH * at + 1
    const end = Math.min(first + WIDTH, this.#times.length)
    if (first >= end) return -1
    let least = first
    for (let next = first + 1; next < end; next += 1) {
      const event = this.#events[next]
      if (this.#times[next] === this.#times[least]) {
        if (event !== undefined && this.#isBefore(event, least)) least = next
      } else if ((this.#times[next] ?? 0) < (this.#times[least] ?? 0)) least = next
    }
    return least
  }

  #isBefore({ atMs, order }: Event, place: number): boolean {
    const other = this.#times[place] ?? 0
    return atMs < other || (atMs === other && order < (this.#events[place]?.order ?? 0))
  }

  #move(from: number, to: number): void {
    const event = this.#events[from]
    if (event !== undefined) this.#put(to, event)
  }

  #put(at: number, event: Event): void {
    this.#times[at] = event.atMs
    this.#events[at] = event
  }
}
