/** Buckets for each doubling of the value: no error above 1/64. */
const STEPS = 64
const STEP_BITS = 6
/** One microsecond to 71 minutes. */
const BUCKETS = (32 - STEP_BITS + 1) * STEPS
const MOST_US = 2 ** 32 - 1

/** Only the buckets that are not empty, as pairs of bucket and count, ordered by bucket. */
export interface HistogramJson {
  readonly maxMs: number
  readonly buckets: readonly (readonly [bucket: number, count: number])[]
}

const bucketOf = (us: number): number => {
  if (us < STEPS) return us
  const doublings = 31 - Math.clz32(us) - STEP_BITS
  return (doublings + 1) * STEPS + (us >>> doublings) - STEPS
}

const highestUs = (bucket: number): number => {
  if (bucket < STEPS) return bucket
  const doublings = Math.floor(bucket / STEPS) - 1
  return (STEPS + (bucket % STEPS) + 1) * 2 ** doublings - 1
}

/** Log-linear histogram of durations in milliseconds. Recording costs nanoseconds and never allocates. */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS)
  #count = 0
  /** The lowest bucket that is not empty. */
  #lowest = BUCKETS
  #maxUs = 0

  get count(): number {
    return this.#count
  }

  get maxMs(): number {
    return this.#maxUs / 1_000
  }

  /** A negative duration counts as zero. */
  record(ms: number): void {
    const us = Math.min(MOST_US, Math.max(0, Math.round(ms * 1_000)))
    this.#add(bucketOf(us), 1)
    if (us > this.#maxUs) this.#maxUs = us
  }

  /**
   * The smallest value that at least a share `q` (0 to 1) of all values do not exceed, rounded up within its bucket; 0 when
   * empty.
   */
  quantileMs(q: number): number {
    const wanted = Math.max(1, Math.ceil(q * this.#count))
    let seen = 0
    for (let bucket = this.#lowest; bucket < BUCKETS; bucket += 1) {
      seen += this.#counts[bucket] ?? 0
      if (seen >= wanted) return Math.min(highestUs(bucket), this.#maxUs) / 1_000
    }
    return this.maxMs
  }

  merge(other: Histogram): void {
    for (const [bucket, count] of other.toJSON().buckets) this.#add(bucket, count)
    this.#maxUs = Math.max(this.#maxUs, other.#maxUs)
  }

  toJSON(): HistogramJson {
    const buckets: [number, number][] = []
    this.#counts.forEach((count, bucket) => {
      if (count > 0) buckets.push([bucket, count])
    })
    return { maxMs: this.maxMs, buckets }
  }

  static fromJSON(json: HistogramJson): Histogram {
    const histogram = new Histogram()
    for (const [bucket, count] of json.buckets) histogram.#add(bucket, count)
    histogram.#maxUs = Math.round(json.maxMs * 1_000)
    return histogram
  }

  #add(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count
    this.#count += count
    if (bucket < this.#lowest) this.#lowest = bucket
  }
}
