import type { TerminalSettings } from './terminal-settings.ts'

export type SymbolSet = 'unicode' | 'ascii'

/**
 * Blocks, arrows and box lines are of ambiguous width (UAX #11): two cells wide in Chinese, Japanese and Korean terminals,
 * which would break every column. There, on the bare console and without UTF-8, ASCII is used.
 */
export function chooseSymbols(asciiWanted: boolean, { env }: TerminalSettings): SymbolSet {
  if (asciiWanted || env.TERM === 'linux') return 'ascii'
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '') ?? ''
  const wideLanguage = /^(ja|ko|zh)(_|\.|-|$)/i.test(locale)
  return /utf-?8/i.test(locale) && !wideLanguage ? 'unicode' : 'ascii'
}
