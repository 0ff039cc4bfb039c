import type { StampedEvent } from '../model/roll-event.ts'

/** Shows a roll while it goes on. */
export interface ProgressView {
  /** Events of an earlier process of the same run: they are known, and not shown again. */
  before(events: readonly StampedEvent[]): void
  event(event: StampedEvent): void
  /** Lines that stay and are no event: the answer to Ctrl-C. */
  say(text: string): void
  /** Keeps clocks and heartbeats going until aborted; rejects only with the signal's reason. */
  run(signal: AbortSignal): Promise<void>
  /** Ends all drawing and restores the terminal. Safe to call twice. */
  close(): void
  /** Restores only the cursor, for an exit that has no time for more. */
  restoreCursor(): void
}
