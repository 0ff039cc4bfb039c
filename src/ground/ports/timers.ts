/** Runs something once, later. */
export interface Timers {
  /** The returned function cancels it; after it has run, that does nothing. */
  later(ms: number, run: () => void): () => void
}
