import type { FailureWindow, ProbeStatus } from '../../ground/model/probe.ts'
import type { WallMs } from '../../ground/model/time.ts'

/** Traffic that measures. It runs apart from the roll, so that the roll cannot disturb what it is judged by. */
export interface Probe {
  /** Settles when it has stopped; a probe that dies is started again and the gap reported as not measured. */
  run(onChange: () => void, signal: AbortSignal): Promise<void>
  status(): ProbeStatus
  /** Those of the facts: they are looked at far more often than all the rest. */
  windows(): readonly FailureWindow[]
  /** A control that was green in this span excuses failures after it that it shares; `to` may lie ahead. */
  baseline(from: WallMs, to: WallMs): void
}
