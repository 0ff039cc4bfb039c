import type { TerminalSettings } from './terminal-settings.ts'

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const

export type ColorChoice = (typeof COLOR_CHOICES)[number]

/** The flag, then NO_COLOR (no-color.org: set and not empty), then FORCE_COLOR, then whether `stream` is a terminal. */
export function chooseColor(wanted: ColorChoice, terminal: TerminalSettings, stream: 'stdout' | 'stderr'): boolean {
  if (wanted !== 'auto') return wanted === 'always'
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = terminal.env
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return TERM !== 'dumb' && (stream === 'stdout' ? terminal.stdoutIsTerminal : terminal.stderrIsTerminal)
}
