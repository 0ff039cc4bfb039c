/** How a program ended. `output` is the end of what it printed: foreign text, raw. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly output: string }
  /** By a signal, at its limit, or because it printed without end. */
  | { readonly kind: 'killed'; readonly why: string; readonly output: string }
  | { readonly kind: 'notStarted'; readonly why: string }

/** Runs programs on this machine, without a shell. */
export interface Programs {
  /** Rejects with the signal's reason alone; nothing of the program is left then. */
  run(argv: readonly string[], limitMs: number, signal: AbortSignal): Promise<ProgramEnd>
}
