import type { MonoMs, WallMs } from '../model/time.ts'

export interface Clock {
  monoMs(): MonoMs
  wallMs(): WallMs
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
