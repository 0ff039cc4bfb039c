/** How a program ended. `output` is the end of its output: foreign text, raw. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly output: string }
  /** By a signal, at its limit, or because its output did not end. */
  | { readonly kind: 'killed'; readonly why: string; readonly output: string }
  | { readonly kind: 'notStarted'; readonly why: string }

/** Runs programs on this machine, without a shell. */
export interface Programs {
  /** Rejects only with the signal's reason; the program has ended then. */
  run(argv: readonly string[], limitMs: number, signal: AbortSignal): Promise<ProgramEnd>
}
