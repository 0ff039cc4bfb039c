import type { FailureWindow, ProbeStatus } from '../../ground/model/probe.ts'
import type { WallMs } from '../../ground/model/time.ts'

/** Measures by traffic of its own. It runs apart from the roll, so that the roll cannot disturb its measurement. */
export interface Probe {
  /** Settles when it has stopped. A probe that dies is started again, and the gap counts as not measured. */
  run(onChange: () => void, signal: AbortSignal): Promise<void>
  status(): ProbeStatus
  /** The windows of the status, which are read far more often than the rest. */
  windows(): readonly FailureWindow[]
  /** A control that was green in this span excuses later failures that it shares; `to` may be in the future. */
  baseline(from: WallMs, to: WallMs): void
}
