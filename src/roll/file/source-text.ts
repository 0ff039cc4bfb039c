/** A text as a person wrote it, with the name of its file. */
export interface SourceText {
  readonly file: string
  readonly text: string
}

/** A place as editors count: from 1, columns in characters. */
interface SourcePlace {
  readonly line: number
  readonly column: number
  /** The whole line without its end, and its offset in the text. */
  readonly lineText: string
  readonly lineStart: number
}

export function placeAt(text: string, offset: number): SourcePlace {
  const at = Math.min(Math.max(offset, 0), text.length)
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const newline = text.indexOf('\n', lineStart)
  const lineText = text.slice(lineStart, newline === -1 ? text.length : newline).replace(/\r$/, '')
  const line = text.slice(0, lineStart).split('\n').length
  return { line, column: [...text.slice(lineStart, at)].length + 1, lineText, lineStart }
}
