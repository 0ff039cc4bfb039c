/** One word: letters, escapes and parts in quotes; or a comment, to the end of the line. */
const WORD = /(?:[^\s"'\\#]|\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?)+|#.*/gs

const PIECE = /"((?:[^"\\]|\\.)*)"?|'([^']*)'?|((?:[^"'\\]|\\.)+)/gs

/** Splits a line as HAProxy does (configuration.txt 2.2); what follows `#` is a comment. */
export const configWords = (line: string): readonly string[] =>
  (line.match(WORD) ?? [])
    .filter((word) => !word.startsWith('#'))
    .map((word) => [...word.matchAll(PIECE)].map(textOf).join(''))

const textOf = ([, double, single, plain]: RegExpExecArray): string => single ?? unescaped(double ?? plain ?? '')

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|(.))/gs

/** A backslash before another letter is one of the text. */
const unescaped = (text: string): string =>
  text.replaceAll(ESCAPE, (whole, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (LETTERS[letter ?? ''] ?? whole) : String.fromCharCode(Number.parseInt(hex, 16)),
  )

const LETTERS: Readonly<Record<string, string>> = {
  ...{ ' ': ' ', '\\': '\\', '#': '#', '"': '"', "'": "'", $: '$' },
  ...{ n: '\n', r: '\r', t: '\t' },
}

/** HAProxy puts in variables of the environment within double quotes. A `$` elsewhere was meant so. */
export const hasVariable = (line: string): boolean => /(?:^|[^\\])\$[\w{]/.test(line.replaceAll(/'[^']*'/g, ''))
