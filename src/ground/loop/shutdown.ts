import type { Clock } from '../ports/clock.ts'
import { withDeadline } from './deadline.ts'

/** One part of a process that has to be stopped, at its place in the order. */
export interface StopStage {
  readonly name: string
  readonly limitMs: number
  /** Settles when the part has stopped. */
  stop(signal: AbortSignal): Promise<void>
}

interface StopFailure {
  readonly name: string
  readonly error: unknown
}

/**
 * Stops one stage after the other, in order. If a stage fails or overruns its limit, the later ones are still stopped: the slot
 * must be released even where a watch hangs. Never rejects; reports what did not stop.
 */
export async function shutDown(stages: readonly StopStage[], clock: Clock): Promise<readonly StopFailure[]> {
  const failures: StopFailure[] = []
  const signal = new AbortController().signal
  for (const { name, limitMs, stop } of stages) {
    try {
      await withDeadline({ clock, limitMs, signal, what: `stopping ${name}` }, stop)
    } catch (error) {
      failures.push({ name, error })
    }
  }
  return failures
}
