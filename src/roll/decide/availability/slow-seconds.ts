import type { Sample, SlowSeconds } from '../../../ground/model/probe.ts'
import { wallMs } from '../../../ground/model/time.ts'
import type { LatencyLimit } from '../../model/stop-spec.ts'

const SECOND_MS = 1_000

interface Second {
  readonly at: number
  good: number
  slow: number
}

/** How many good requests to a target were slow, by the second in which they were due. Takes samples in the order of their schedule. */
export class SlowTally {
  readonly #limit: LatencyLimit
  #seconds: Second[] = []

  constructor(limit: LatencyLimit) {
    this.#limit = limit
  }

  record({ target, verdict, scheduledAt, latencyMs }: Sample): void {
    if (target !== this.#limit.target || verdict !== 'ok') return
    const at = Math.floor(scheduledAt / SECOND_MS) * SECOND_MS
    let second = this.#seconds.at(-1)
    if (second?.at !== at) {
      second = { at, good: 0, slow: 0 }
      const since = at - this.#limit.overMs
      this.#seconds = [...this.#seconds.filter((kept) => kept.at >= since), second]
    }
    second.good += 1
    if (latencyMs > this.#limit.slowerThanMs) second.slow += 1
  }

  counted(): SlowSeconds {
    const { target, slowerThanMs } = this.#limit
    return {
      target,
      slowerThanMs,
      seconds: this.#seconds.map(({ at, good, slow }) => ({ at: wallMs(at), good, slow })),
    }
  }
}
