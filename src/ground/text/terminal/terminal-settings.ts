/** What is known of terminal and environment; read once by the composition root. */
export interface TerminalSettings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdinIsTerminal: boolean
  readonly stdoutIsTerminal: boolean
  readonly stderrIsTerminal: boolean
}
