import type { ProbeSignal } from '../model/probe-signal.ts'

/** A source of samples: a prober that may stall, die and come back, and reports that. */
export interface ProbeSource {
  /** Starts the prober again, with back-off, whenever it dies. When aborted, waits for missing verdicts, then settles. */
  run(emit: (signal: ProbeSignal) => void, signal: AbortSignal): Promise<void>
}
