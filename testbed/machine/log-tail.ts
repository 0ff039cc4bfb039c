import { existsSync, readFileSync } from 'node:fs'

/** The last lines of a log, indented below its name; one line where there is nothing to quote. */
export function logTail(path: string, lines = 8): string {
  if (!existsSync(path)) return `${path}: not written`
  const text = readFileSync(path, 'utf8').trimEnd()
  if (text === '') return `${path}: empty`
  const last = text.split('\n').slice(-lines)
  return [`${path}:`, ...last.map((line) => `  ${line.slice(0, 400)}`)].join('\n')
}
