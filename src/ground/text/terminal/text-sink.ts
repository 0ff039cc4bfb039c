export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** Where text goes. Writing never throws: a reader that has gone away ends the output, not the work. */
export interface TextSink {
  /** Why nothing more arrives; undefined as long as it does. */
  readonly failure?: string | undefined
  write(text: string): void
  /** Asked anew for each frame; 80 by 24 where it is no terminal. */
  size(): TerminalSize
  /** Settles when everything written so far is with its reader, or the reader is gone. */
  flushed(): Promise<void>
}
