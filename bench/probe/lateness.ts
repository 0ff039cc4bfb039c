/** How far from their time things began, in milliseconds. */
export interface Lateness {
  readonly samples: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}

/** Early counts as late: what is asked too soon is as far from its schedule. */
export function lateness(errorsMs: readonly number[]): Lateness {
  const sorted = errorsMs.map(Math.abs).toSorted((a, b) => a - b)
  const quantileMs = (q: number): number =>
    Math.round(1_000 * (sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0)) / 1_000
  return {
    samples: sorted.length,
    p50Ms: quantileMs(0.5),
    p99Ms: quantileMs(0.99),
    p999Ms: quantileMs(0.999),
    maxMs: quantileMs(1),
  }
}
