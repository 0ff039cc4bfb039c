import type { MonoMs, WallMs } from '../model/time.ts'

export interface Clock {
  monoMs(): MonoMs
  wallMs(): WallMs
  /** How long the machine has slept in all, by which `monoMs` is behind: two differ where it slept in between. */
  asleepMs(): number
  /** Resolves after `ms`, in which the time that the machine sleeps counts; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
