import type { Sample } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { Span } from './downtime.ts'

/** A shorter stall shows only in the count of skipped samples. */
const SHORTEST_GAP_MS = 100
/** After this time without a heartbeat, nothing is known of the present, whatever the reason. */
const SILENCE_MS = 500

/**
 * The gaps of the prober: not yet started, stalled, dead, silent.
 *
 * Law: time in which the prober stood still is not measured, and never good.
 */
export class NotMeasured {
  readonly #gaps: Span[] = []
  /** Since when it is not running. */
  #downSince: WallMs | undefined
  #lastBeatAt: WallMs
  /** By lane: the first of its samples that were skipped since the last one that was sent. One lane does not measure for another. */
  readonly #skippedSince = new Map<string, WallMs>()

  constructor(createdAt: WallMs) {
    this.#downSince = createdAt
    this.#lastBeatAt = createdAt
  }

  /** The first start ends no gap: measuring began with it. */
  started(at: WallMs, isFirst: boolean): void {
    const downSince = this.#downSince ?? this.#lastBeatAt
    for (const since of this.#skippedSince.values()) this.#close(since, downSince)
    if (!isFirst) this.#close(downSince, at)
    this.#downSince = undefined
    this.#lastBeatAt = at
    this.#skippedSince.clear()
  }

  beat(at: WallMs): void {
    this.#lastBeatAt = at
  }

  /** Verdicts on samples from `settledBefore` on are lost. */
  down(settledBefore: WallMs): void {
    this.#downSince ??= settledBefore
  }

  /** Samples in the order of their schedule. */
  record(sample: Sample): void {
    const lane = `${sample.lane} ${sample.target}`
    const since = this.#skippedSince.get(lane)
    if (sample.verdict !== 'skipped') {
      if (since === undefined) return
      this.#skippedSince.delete(lane)
      this.#close(since, sample.scheduledAt)
    } else if (since === undefined) {
      this.#skippedSince.set(lane, sample.scheduledAt)
    }
  }

  /** All gaps, with the one that is open now; `ended` where no more samples are due. */
  spans(now: WallMs, ended: boolean): readonly Span[] {
    const open = [...this.#skippedSince.values()].map((from) => ({ from, to: now }))
    if (this.#downSince !== undefined) open.push({ from: this.#downSince, to: now })
    else if (!ended && now - this.#lastBeatAt > SILENCE_MS) open.push({ from: this.#lastBeatAt, to: now })
    return [...this.#gaps, ...open.filter((gap) => gap.to - gap.from >= SHORTEST_GAP_MS)]
  }

  #close(from: WallMs, to: WallMs): void {
    if (to - from >= SHORTEST_GAP_MS) this.#gaps.push({ from, to })
  }
}
