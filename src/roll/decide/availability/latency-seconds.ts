import type { Sample } from '../../../ground/model/probe.ts'
import { toIso, type WallMs, wallMs } from '../../../ground/model/time.ts'
import type { LatencySecond } from '../../model/latency-second.ts'
import { Histogram } from './histogram.ts'

const SECOND_MS = 1_000
/** An answer may come this much later than its time-out ends, since batches and clocks are not exact. */
const LATE_MS = 1_000

interface OpenSecond {
  readonly latency: Histogram
  failed: number
}

/**
 * Makes a row for each second from samples, as soon as no answer of that second can be missing. Controls and skipped samples
 * are left out: they show nothing about the service.
 */
export class LatencySeconds {
  readonly #keepMs: number
  readonly #open = new Map<number, OpenSecond>()
  #newest = Number.NEGATIVE_INFINITY

  constructor(longestTimeoutMs: number) {
    this.#keepMs = longestTimeoutMs + LATE_MS
  }

  /** The seconds that are complete now, oldest first. */
  add(samples: readonly Sample[]): readonly LatencySecond[] {
    for (const sample of samples) this.#count(sample)
    return this.#take((end) => end + this.#keepMs <= this.#newest)
  }

  /** All other seconds, once no more samples come. */
  rest(): readonly LatencySecond[] {
    return this.#take(() => true)
  }

  #count({ control, verdict, scheduledAt, latencyMs }: Sample): void {
    if (control || verdict === 'skipped') return
    this.#newest = Math.max(this.#newest, scheduledAt)
    const start = Math.floor(scheduledAt / SECOND_MS) * SECOND_MS
    const second = this.#open.get(start) ?? { latency: new Histogram(), failed: 0 }
    this.#open.set(start, second)
    if (verdict === 'failed') second.failed += 1
    else second.latency.record(latencyMs)
  }

  #take(isOver: (end: number) => boolean): readonly LatencySecond[] {
    const starts = [...this.#open.keys()].filter((start) => isOver(start + SECOND_MS)).sort((a, b) => a - b)
    return starts.flatMap((start) => {
      const second = this.#open.get(start)
      this.#open.delete(start)
      return second === undefined ? [] : [rowOf(wallMs(start), second)]
    })
  }
}

function rowOf(start: WallMs, { latency, failed }: OpenSecond): LatencySecond {
  const known = (ms: number): number | null => (latency.count === 0 ? null : Math.round(ms * 100) / 100)
  return {
    at: toIso(start),
    good: latency.count,
    failed,
    p50Ms: known(latency.quantileMs(0.5)),
    p99Ms: known(latency.quantileMs(0.99)),
    maxMs: known(latency.maxMs),
  }
}
