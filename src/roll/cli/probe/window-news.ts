import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'

interface WindowNews {
  readonly type: 'opened' | 'closed'
  /** Counted from 1, in the order in which they were shown. */
  readonly number: number
  readonly window: FailureWindow
}

/** A shorter window is shown once, when it is over. */
const SHOWN_OPEN_AFTER_MS = 1_000

const laneOf = (window: FailureWindow): string => `${window.lane} ${window.target}`

/** Shows each window when it is over, and a long one also before. */
export class WindowTeller {
  readonly #closed = new Set<string>()
  readonly #open = new Map<string, number>()
  #shown = 0

  /** What is new in `windows`; with `ended`, windows without an end are closed as they are. */
  news(windows: readonly FailureWindow[], now: WallMs, ended: boolean): readonly WindowNews[] {
    return windows.flatMap((window) => {
      const isOver = window.firstOkAt !== undefined && window.undecided === undefined
      if (isOver || ended) return this.#close(window)
      const isShown = this.#open.has(laneOf(window)) || now - window.firstBadAt < SHOWN_OPEN_AFTER_MS
      return isShown ? [] : [this.#opened(window)]
    })
  }

  #close(window: FailureWindow): readonly WindowNews[] {
    const key = `${window.firstBadAt} ${laneOf(window)}`
    if (this.#closed.has(key)) return []
    this.#closed.add(key)
    const number = this.#open.get(laneOf(window)) ?? this.#next()
    this.#open.delete(laneOf(window))
    return [{ type: 'closed', number, window }]
  }

  #opened(window: FailureWindow): WindowNews {
    const number = this.#next()
    this.#open.set(laneOf(window), number)
    return { type: 'opened', number, window }
  }

  #next(): number {
    this.#shown += 1
    return this.#shown
  }
}
