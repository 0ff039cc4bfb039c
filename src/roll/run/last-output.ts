import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { redactText } from '../../ground/model/redact-text.ts'

const LINES_MAX = 5
const CHARACTERS_MAX = 400

/** `: …`, the last lines of what a program printed, on one line and without what looks like a secret; empty where it was silent. */
export function lastOutput(output: string): string {
  const lines = redactText(output)
    .value.split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) return ''
  return `: ${escapeForeign(lines.slice(-LINES_MAX).join('; '), CHARACTERS_MAX)}`
}
