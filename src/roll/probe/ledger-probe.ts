import type { FailureWindow, ProbeStatus, ProbeTarget, Sample } from '../../ground/model/probe.ts'
import type { ProbeSignal } from '../../ground/model/probe-signal.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { ProbeSource } from '../../ground/ports/probe-source.ts'
import { ProbeLedger } from '../decide/availability/probe-ledger.ts'
import type { LatencyLimit } from '../model/stop-spec.ts'
import type { Probe } from '../ports/probe.ts'

interface LedgerProbeParts {
  readonly targets: readonly ProbeTarget[]
  readonly source: ProbeSource
  readonly clock: Clock
  /** The limits of the roll file. Absent: none. */
  readonly latency?: readonly LatencyLimit[]
  readonly onSamples?: (samples: readonly Sample[]) => void
  /** The schedule begins at `at`, for the first time or again. */
  readonly onStart?: (at: WallMs) => void
  /** The prober died, and why: foreign text. */
  readonly onDeath?: (reason: string) => void
}

/** Keeps the ledger of the signals of a source. */
export class LedgerProbe implements Probe {
  readonly #parts: LedgerProbeParts
  readonly ledger: ProbeLedger

  constructor(parts: LedgerProbeParts) {
    this.#parts = parts
    this.ledger = new ProbeLedger(parts.targets, parts.clock.wallMs(), parts.latency)
  }

  async run(onChange: () => void, signal: AbortSignal): Promise<void> {
    await this.#parts.source.run((signal) => {
      this.#apply(signal)
      if (signal.type !== 'batch' || signal.samples.length > 0) onChange()
    }, signal)
    this.ledger.end(this.#parts.clock.wallMs())
    onChange()
  }

  status(): ProbeStatus {
    return this.ledger.status(this.#parts.clock.wallMs())
  }

  windows(): readonly FailureWindow[] {
    return this.ledger.windows()
  }

  baseline(from: WallMs, to: WallMs): void {
    this.ledger.baseline({ from, to })
  }

  #apply(signal: ProbeSignal): void {
    this.ledger.apply(signal)
    if (signal.type === 'started') this.#parts.onStart?.(signal.at)
    if (signal.type === 'batch' && signal.samples.length > 0) this.#parts.onSamples?.(signal.samples)
    if (signal.type === 'died') this.#parts.onDeath?.(signal.reason)
  }
}
