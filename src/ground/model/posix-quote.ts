import { invariant } from './invariant.ts'

/**
 * One word for a POSIX shell, whatever it holds: nothing is special between single quotes, and a single quote itself is
 * written outside of them (XCU 2.2.2). Not for other shells: in fish a backslash counts between single quotes.
 */
export function posixQuote(word: string): string {
  invariant(!word.includes('\0'), 'no word of a command can hold a NUL')
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Quoted only where a shell would take it for anything else: for zsh, a word that begins with `=` names a program. */
export const shellWord = (text: string): string => (/^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : posixQuote(text))

/**
 * A value as JSON for a word of a command. What it holds may be foreign text: it is spelled so that no shell and no terminal takes a part
 * of it for anything else.
 */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^ -&(-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
