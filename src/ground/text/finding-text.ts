import type { Finding } from '../model/finding.ts'
import { escapeForeign } from '../model/foreign-text.ts'
import { plainText } from '../model/sentence.ts'

const SHOWN_MAX = 2000

/** `error: what is wrong (code)`, and below it what helps. */
export const findingText = (label: string, { code, text, fix }: Finding): string =>
  [`${label}: ${escapeForeign(text, SHOWN_MAX)} (${code})`, ...fixLines(fix)].join('\n')

/** `gutter`: as wide as what is above. */
export const fixLines = (fix: Finding['fix'], gutter = ' '): readonly string[] =>
  fix === undefined ? [] : [`${gutter} = fix: ${escapeForeign(plainText(fix), SHOWN_MAX)}`]
