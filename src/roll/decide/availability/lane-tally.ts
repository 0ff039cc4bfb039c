import type { Lane, LaneSummary, ProbeTarget, Sample } from '../../../ground/model/probe.ts'
import { Histogram } from './histogram.ts'

/** The number of good samples that make a baseline; until then only the fixed limit decides which sample is slow. */
const BASELINE_SAMPLES = 300
const SLOW_FLOOR_MS = 500
const SLOW_FACTOR = 3

/** Counts of one lane; the order of its samples does not matter. */
export class LaneTally {
  readonly #target: ProbeTarget
  readonly #lane: Lane
  readonly #latency = new Histogram()
  readonly #startError = new Histogram()
  #scheduled = 0
  #skipped = 0
  #failed = 0
  #retried = 0
  #slow = 0
  #slowAboveMs = SLOW_FLOOR_MS
  #known: LaneSummary | undefined

  constructor(target: ProbeTarget, lane: Lane) {
    this.#target = target
    this.#lane = lane
  }

  record(sample: Sample): void {
    this.#known = undefined
    this.#scheduled += 1
    if (sample.verdict === 'skipped') {
      this.#skipped += 1
      return
    }
    if (sample.retried === true) this.#retried += 1
    this.#startError.record(Math.abs(sample.startedLateMs))
    if (sample.verdict === 'failed') this.#failed += 1
    else this.#recordOk(sample.latencyMs)
  }

  /** The latency of good samples. */
  get latency(): Histogram {
    return this.#latency
  }

  summary(): LaneSummary {
    this.#known ??= this.#summary()
    return this.#known
  }

  #summary(): LaneSummary {
    return {
      target: this.#target.name,
      control: this.#target.control,
      lane: this.#lane,
      scheduled: this.#scheduled,
      sent: this.#scheduled - this.#skipped,
      skipped: this.#skipped,
      failed: this.#failed,
      ...(this.#retried === 0 ? {} : { retried: this.#retried }),
      slow: this.#slow,
      p50Ms: this.#latency.quantileMs(0.5),
      p90Ms: this.#latency.quantileMs(0.9),
      p99Ms: this.#latency.quantileMs(0.99),
      maxMs: this.#latency.maxMs,
      startErrorP99Ms: this.#startError.quantileMs(0.99),
    }
  }

  /** A failure has no latency: it would make the service look faster or slower than it is. */
  #recordOk(latencyMs: number): void {
    if (latencyMs > this.#slowAboveMs) this.#slow += 1
    this.#latency.record(latencyMs)
    if (this.#latency.count === BASELINE_SAMPLES) {
      this.#slowAboveMs = Math.max(SLOW_FLOOR_MS, SLOW_FACTOR * this.#latency.quantileMs(0.99))
    }
  }
}
