import type { ProbeSignal } from '../model/probe-signal.ts'

/** Where samples come from: a prober that may stall, die and come back, and says so. */
export interface ProbeSource {
  /** Begins again, with back-off, whenever the prober dies. Aborted, it waits for the verdicts still owed, then settles. */
  run(emit: (signal: ProbeSignal) => void, signal: AbortSignal): Promise<void>
}
