import type { Lane } from '../../ground/model/probe.ts'
import type { Destination, Network } from '../network/network.ts'
import { Line } from './line.ts'

interface LinesParts {
  readonly network: Network
  readonly to: Destination
  /** How many connections the kept lane has. */
  readonly kept: number
}

/** The connections of a client: its kept ones in turn, and one of its own for each request of the other lane. */
export class Lines {
  readonly #parts: LinesParts
  readonly #kept: readonly Line[]
  #next = 0

  constructor(parts: LinesParts) {
    this.#parts = parts
    const { network, to } = parts
    this.#kept = Array.from({ length: parts.kept }, () => new Line({ network, to, isKept: true }))
  }

  /** A line that is free. Where every kept line waits for an answer, a line for this request alone: no request queues. */
  free(lane: Lane): Line {
    const { network, to } = this.#parts
    const kept = lane === 'kept' ? this.#freeKept() : undefined
    return kept ?? new Line({ network, to, isKept: false })
  }

  #freeKept(): Line | undefined {
    const count = this.#kept.length
    for (let tried = 0; tried < count; tried += 1) {
      const at = (this.#next + tried) % count
      const line = this.#kept[at]
      if (line === undefined || line.isBusy) continue
      this.#next = at + 1
      return line
    }
    return undefined
  }
}
