import type { Sample } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { Span } from './downtime.ts'

/** A shorter stall shows in the count of skipped samples alone. */
const SHORTEST_GAP_MS = 100
/** No heartbeat for this long: whatever the reason, nothing is known of this time now. */
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
  /** Per target the first of the skipped samples since the last one sent. */
  readonly #skippedSince = new Map<string, WallMs>()

  constructor(createdAt: WallMs) {
    this.#downSince = createdAt
    this.#lastBeatAt = createdAt
  }

  /** The first start ends no gap: measuring began there. */
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

  /** `settledBefore`: verdicts on samples from there on are lost. */
  down(settledBefore: WallMs): void {
    this.#downSince ??= settledBefore
  }

  /** Samples in the order of their schedule. */
  record(sample: Sample): void {
    const since = this.#skippedSince.get(sample.target)
    if (sample.verdict !== 'skipped') {
      if (since === undefined) return
      this.#skippedSince.delete(sample.target)
      this.#close(since, sample.scheduledAt)
    } else if (since === undefined) {
      this.#skippedSince.set(sample.target, sample.scheduledAt)
    }
  }

  /** All gaps, with what is missing right now; `ended` where nothing is due any more. */
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
