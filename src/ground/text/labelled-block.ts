import { escapeForeign } from '../model/foreign-text.ts'
import type { Sentence } from '../model/sentence.ts'
import type { Line, Tone } from './terminal/style.ts'
import { wrapText, wrapWords } from './wrap-words.ts'

export interface BlockRow {
  readonly label: string
  /** Paragraphs, each wrapped by itself; a command is not wrapped, so that it can be pasted. */
  readonly texts: readonly Text[]
}

/** A command to paste, and what it does; empty: nothing is said of it. */
export interface NextStep {
  readonly command: string
  readonly note: string
}

/** `under`: it belongs to the paragraph before it, and is indented. */
type Text = Sentence | NextStep | { readonly under: string }

export interface Block {
  readonly word: string
  readonly tone?: Tone
  readonly title: string
  readonly rows: readonly BlockRow[]
}

const INDENT = 2
/** A person needs the whole text. */
const TEXT_MAX = 10_000
const LABEL_CELLS_MIN = 5

/** A finding in full: what, and in rows below why, since when, the present state and what to type next. */
export function blockLines({ word, tone, title, rows }: Block, columns: number): readonly Line[] {
  const head = tone === undefined ? { text: word } : { text: word, tone }
  const [first = '', ...more] = wrapWords(escapeForeign(title, TEXT_MAX), columns - word.length - 2)
  return [
    [head, '  ', first],
    ...more.map((text): Line => [' '.repeat(word.length + 2), text]),
    ...blockRows(rows, columns),
  ]
}

/** Rows without a head. A row without a text is not shown. */
export function blockRows(rows: readonly BlockRow[], columns: number): readonly Line[] {
  const shown = rows.filter(({ texts }) => texts.length > 0)
  return shown.flatMap((row) => rowLines(row, columns, labelCells(shown)))
}

const labelCells = (rows: readonly BlockRow[]): number =>
  2 + Math.max(LABEL_CELLS_MIN, ...rows.map(({ label }) => label.length))

function rowLines({ label, texts }: BlockRow, columns: number, cells: number): readonly Line[] {
  const room = columns - INDENT - cells
  const commands = texts.flatMap((text) => (typeof text === 'object' && 'command' in text ? [text.command.length] : []))
  const commandCells = Math.max(0, ...commands)
  const lines = texts.flatMap((text) => {
    if (typeof text === 'object' && 'command' in text) return [commandLine(text, commandCells, room)]
    if (typeof text === 'string' || !('under' in text)) return wrapText(text, room, TEXT_MAX)
    return wrapText(text.under, room - INDENT, TEXT_MAX).map((line) => `${' '.repeat(INDENT)}${line}`)
  })
  return lines.map((text, index): Line => [`${' '.repeat(INDENT)}${(index === 0 ? label : '').padEnd(cells)}`, text])
}

function commandLine({ command, note }: NextStep, cells: number, room: number): string {
  const line = `${command.padEnd(cells)}    ${note}`
  return note === '' || line.length > room ? command : line
}
