import type { StampedEvent } from '../model/roll-event.ts'

/** What shows a roll while it goes on. */
export interface ProgressView {
  /** What happened before, by an earlier process of the same run: known, not shown again. */
  before(events: readonly StampedEvent[]): void
  event(event: StampedEvent): void
  /** Lines for good that are no event: the answer to Ctrl-C. */
  say(text: string): void
  /** Keeps clocks and heartbeats going until aborted; never rejects for another reason than the signal's. */
  run(signal: AbortSignal): Promise<void>
  /** Ends all drawing and gives the terminal back. Safe to call twice. */
  close(): void
  /** The cursor alone, for a way out of the process that has no time for more. */
  restoreCursor(): void
}
