import { UserError } from '../../model/user-error.ts'
import type { TerminalSettings } from './terminal-settings.ts'

export const PROGRESS_CHOICES = ['auto', 'live', 'plain', 'none'] as const

export type ProgressChoice = (typeof PROGRESS_CHOICES)[number]
export type ProgressMode = Exclude<ProgressChoice, 'auto'>

/** The form of progress. If `live` was asked for and is not possible, that is an error before any change. */
export function chooseProgress(
  wanted: ProgressChoice,
  terminal: TerminalSettings,
  stream: 'stdout' | 'stderr' = 'stderr',
): ProgressMode {
  if (wanted === 'plain' || wanted === 'none') return wanted
  const isTerminal = stream === 'stdout' ? terminal.stdoutIsTerminal : terminal.stderrIsTerminal
  const capable = isTerminal && terminal.env.TERM !== 'dumb'
  if (wanted === 'live' && !capable) {
    const why = isTerminal ? 'TERM is dumb' : `${stream} is no terminal`
    throw new UserError(`--progress live is not possible: ${why}`, { code: 'usage.progress', fix: '--progress plain' })
  }
  // Some CI systems give their jobs a terminal and show every frame below the last one.
  const inCi = (terminal.env.CI ?? '') !== ''
  return wanted === 'live' || (capable && !inCi) ? 'live' : 'plain'
}
