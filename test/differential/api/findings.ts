import { acceptedAs } from './accepted.ts'
import type { Difference } from './compare.ts'
import type { Compared } from './compare-sequence.ts'
import { stepText } from './step.ts'

/** One kind of difference, with the first sequence that showed it. */
interface Finding {
  readonly difference: Difference
  readonly seed: number
  /** The smallest prefix of the sequence that shows it. */
  readonly steps: readonly string[]
  readonly times: number
}

/** What a run of sequences has shown. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  readonly #accepted = new Map<string, number>()
  #sequences = 0
  #failed = 0
  #embeddedMs = 0
  #realMs = 0

  add({ sequence, differences, embeddedMs, realMs }: Compared): void {
    this.#sequences += 1
    this.#embeddedMs += embeddedMs
    this.#realMs += realMs
    let hasFailed = false
    for (const { step, ...difference } of differences) {
      const accepted = acceptedAs(difference)
      if (accepted !== undefined) {
        this.#accepted.set(accepted, (this.#accepted.get(accepted) ?? 0) + 1)
        continue
      }
      hasFailed = true
      const before = this.#found.get(difference.at)
      const steps = sequence.steps.slice(0, step + 1).map(stepText)
      const finding = before ?? { difference, seed: sequence.seed, steps, times: 0 }
      this.#found.set(difference.at, { ...finding, times: finding.times + 1 })
    }
    if (hasFailed) this.#failed += 1
  }

  /** The most frequent first. */
  byPlace(): readonly Finding[] {
    return [...this.#found.values()].toSorted((a, b) => b.times - a.times)
  }

  summary(): string {
    const each = (ms: number): string => `${Math.round(ms / Math.max(1, this.#sequences))} ms`
    const accepted = [...this.#accepted].map(([name, times]) => `${name} ${times}`).join(', ')
    return [
      `${this.#sequences} sequences, ${this.#failed} with differences that are not on the list, of ${this.#found.size} kinds`,
      `a sequence takes ${each(this.#embeddedMs)} on the embedded cluster and ${each(this.#realMs)} on the real one`,
      `on the list: ${accepted === '' ? 'none' : accepted}`,
    ].join('\n')
  }
}

export function findingText({ difference, seed, steps, times }: Finding): string {
  const short = steps.slice(-6).map((step) => `      ${step.slice(0, 240)}`)
  const { at, embedded, real } = difference
  return [`${times} × ${at}`, `    embedded ${embedded}`, `    real     ${real}`, `    seed ${seed}`, ...short].join(
    '\n',
  )
}
