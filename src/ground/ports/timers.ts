/** Does something later, and once. */
export interface Timers {
  /** The returned function calls it off; after it has run, that does nothing. */
  later(ms: number, run: () => void): () => void
}
