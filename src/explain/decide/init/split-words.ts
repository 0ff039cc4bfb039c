const WORD = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/gy
const PIECE = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^"'\\]+)/g

/** The words of a command line; only the quotes of a shell are understood. Undefined where a quote is not closed. */
export function splitWords(line: string): readonly string[] | undefined {
  const text = line.trim()
  const words: string[] = []
  let end = 0
  for (const { 0: all, 1: word = '' } of text.matchAll(WORD)) {
    words.push([...word.matchAll(PIECE)].map(textOf).join(''))
    end += all.length
  }
  return end === text.length ? words : undefined
}

const textOf = ([, double, single, escaped, plain]: RegExpExecArray): string =>
  double?.replace(/\\(.)/g, '$1') ?? single ?? escaped ?? plain ?? ''
