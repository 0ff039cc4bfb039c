import type { FailureClass, Sample } from '../../../ground/model/probe.ts'
import type { Span } from './downtime.ts'

/** The target was reached and has answered, if with an error: the way to it works. */
const ANSWERS: ReadonlySet<FailureClass | undefined> = new Set<FailureClass>(['status', 'content'])

/** The request failed before any answer came, so the way to the target may be the cause. */
export const isUnanswered = ({ verdict, failure }: Sample): boolean => verdict === 'failed' && !ANSWERS.has(failure)

/** The time from when a request was due until its verdict. */
export const lifeOf = ({ scheduledAt, latencyMs }: Sample): { readonly from: number; readonly to: number } => ({
  from: scheduledAt,
  to: scheduledAt + latencyMs,
})

/**
 * One lane of a control target. While it gets no answer, the prober's own way is down: from its last answer to its next one,
 * but at most a period before and after the requests that failed.
 */
export class ControlLane {
  readonly #periodMs: number
  #baseline: Span | undefined
  #wasGood = false
  #wasBad = false
  #lastGoodAt = Number.NEGATIVE_INFINITY
  #lastBadAt = Number.NEGATIVE_INFINITY
  #lastAnswerAt = Number.NEGATIVE_INFINITY
  /** There was no answer since. */
  #outage: { readonly from: number; readonly firstAt: number; readonly lastAt: number } | undefined

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  /** The span may be in the past or in the future; some of its requests may still have no verdict. */
  set baseline(span: Span) {
    this.#baseline = span
    this.#wasGood = this.#lastGoodAt >= span.from
    this.#wasBad = this.#lastBadAt >= span.from
  }

  /** The control has answered in the baseline, and nothing failed in it. */
  get isGreen(): boolean {
    return this.#wasGood && !this.#wasBad
  }

  /** Takes samples in the order of their schedule. */
  record(sample: Sample): void {
    const { scheduledAt: at, verdict } = sample
    if (verdict === 'skipped') return
    if (verdict === 'ok') this.#lastGoodAt = at
    else this.#lastBadAt = at
    if (this.#baseline !== undefined && at >= this.#baseline.from && at <= this.#baseline.to) {
      if (verdict === 'ok') this.#wasGood = true
      else this.#wasBad = true
    }
    if (isUnanswered(sample)) {
      const begun = this.#outage ?? { from: Math.max(this.#lastAnswerAt, at - this.#periodMs), firstAt: at }
      this.#outage = { ...begun, lastAt: at }
    } else {
      this.#lastAnswerAt = at
      this.#outage = undefined
    }
  }

  /**
   * Whether a request was due while this lane got no answer, or was under way when a request of this lane failed, as far as is
   * known now.
   */
  failedDuring({ from, to }: { readonly from: number; readonly to: number }): boolean {
    if (this.#outage === undefined || from >= this.#outage.lastAt + this.#periodMs) return false
    return from > this.#outage.from || to >= this.#outage.firstAt
  }

  /** A failure with a verdict after this moment cannot have begun before a request that was over by then. */
  isPast(to: number, settledBefore: number): boolean {
    return settledBefore > to + this.#periodMs
  }
}
