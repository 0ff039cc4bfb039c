export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** The destination of text. A write never throws: if the reader has gone away, the output ends and the work does not. */
export interface TextSink {
  /** Why nothing more arrives; undefined as long as text arrives. */
  readonly failure?: string | undefined
  write(text: string): void
  /** Read anew for each frame; 80 by 24 where it is no terminal. */
  size(): TerminalSize
  /** Settles when everything that was written has reached its reader, or the reader is gone. */
  flushed(): Promise<void>
}
