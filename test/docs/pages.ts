import { readFileSync } from 'node:fs'
import { repositoryFiles, root } from '../support/repository-files.ts'

export interface Page {
  readonly path: string
  readonly text: string
}

/** Every Markdown file of the repository. */
export const pages = (): readonly Page[] =>
  repositoryFiles('md').map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }))

/** What stands as code: between backquotes, in fences, or indented by four. */
export function codeOf(text: string): readonly string[] {
  const [prose, fenced] = split(text)
  const indented = prose.filter((line) => /^ {4}/.test(line)).map((line) => line.trim())
  const rest = prose.filter((line) => !/^ {4}/.test(line)).join('\n')
  const quoted = [...rest.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\n', ' '))
  return [...fenced.map((line) => line.trim()), ...indented, ...quoted]
}

/** The command lines below a heading, each with its continuations, without the column that explains them. */
export function commandsBelow(text: string, heading: string): readonly string[] {
  const [, section] = text.split(`\n## ${heading}\n`)
  if (section === undefined) throw new Error(`the page has no heading "${heading}"`)
  const [prose] = split((section.split('\n## ')[0] ?? '').replaceAll(/\s*\\\n\s*/g, ' '))
  return prose.filter((line) => /^ {4}\S/.test(line)).map((line) => line.trim().replace(/ {3,}\S.*$/, ''))
}

/** The text without what is code, where a link is a link. */
export function proseOf(text: string): string {
  return split(text)[0]
    .filter((line) => !/^ {4}/.test(line))
    .join('\n')
    .replaceAll(/`[^`]*`/g, '')
}

/** `## Put a node back` is `put-a-node-back`, as forges make it. */
export const anchorsOf = (text: string): readonly string[] =>
  split(text)[0]
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )

/** Lines outside fences, and lines inside. */
function split(text: string): readonly [readonly string[], readonly string[]] {
  const outside: string[] = []
  const inside: string[] = []
  let fenced = false
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) fenced = !fenced
    else (fenced ? inside : outside).push(line)
  }
  return [outside, inside]
}
