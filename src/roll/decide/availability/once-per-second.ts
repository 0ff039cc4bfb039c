import type { Sample } from '../../../ground/model/probe.ts'

const EVERY_MS = 1_000

interface Phase {
  dueAt: number
  failed: number
}

/**
 * How many failures a check once a second, one request at a time, would have counted at the times of these samples: the mean
 * over all moments in the second at which it could have begun. Takes the samples of one lane in the order of their schedule.
 */
export class OncePerSecond {
  readonly #periodMs: number
  #phases: readonly Phase[] = []

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  record(sample: Sample): void {
    if (sample.verdict === 'skipped') return
    if (this.#phases.length === 0) this.#phases = this.#begin(sample.scheduledAt)
    for (const phase of this.#phases) {
      this.#pass(phase, sample)
      if (sample.scheduledAt < phase.dueAt) continue
      if (sample.verdict === 'failed') phase.failed += 1
      // The next check is due a second later, or when this one has its answer.
      phase.dueAt = Math.max(phase.dueAt + EVERY_MS, sample.scheduledAt + sample.latencyMs)
    }
  }

  get failed(): number {
    const counts = this.#phases.map((phase) => phase.failed)
    return counts.length === 0 ? 0 : counts.reduce((sum, n) => sum + n, 0) / counts.length
  }

  #begin(at: number): readonly Phase[] {
    const phases = Math.max(1, Math.round(EVERY_MS / this.#periodMs))
    // Slightly early, so that the sample at the edge of a phase belongs to it.
    return Array.from({ length: phases }, (_, i) => ({ dueAt: at + (i - 0.25) * this.#periodMs, failed: 0 }))
  }

  /** Checks that were due while nothing was measured are dropped; the phase stays. */
  #pass(phase: Phase, sample: Sample): void {
    const missedMs = sample.scheduledAt - this.#periodMs - phase.dueAt
    if (missedMs > 0) phase.dueAt += Math.ceil(missedMs / EVERY_MS) * EVERY_MS
  }
}

/** The same for samples without a gap, `periodMs` apart. */
export function oncePerSecond(samples: readonly Sample[], periodMs: number): number {
  const check = new OncePerSecond(periodMs)
  for (const sample of samples.toSorted((a, b) => a.scheduledAt - b.scheduledAt)) check.record(sample)
  return check.failed
}
