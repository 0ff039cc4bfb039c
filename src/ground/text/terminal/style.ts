import { escapeForeign } from '../../model/foreign-text.ts'
import { cellWidth, sliceCells } from '../cell-width.ts'
import type { SymbolSet } from './choose-symbols.ts'

/** What a piece of text is about; the text itself says the same, so that nothing is lost without colour. */
export type Tone = 'stop' | 'hold' | 'work' | 'name'

export interface Piece {
  readonly text: string
  readonly tone?: Tone
}

/** One line of output, without its width and colour codes. */
export type Line = readonly (string | Piece)[]

export interface Style {
  readonly color: boolean
  readonly symbols: SymbolSet
}

/** Of ANSI's 16 colours on the default background, so that they are readable on any. */
const SGR: Readonly<Record<Tone, string>> = { stop: '31', hold: '33', work: '36', name: '1' }

const textOf = (piece: string | Piece): string => (typeof piece === 'string' ? piece : piece.text)
const LONGEST_PIECE = 10_000

/** The line without colour and control characters, of any length. */
export const plainLine = (line: Line): string =>
  line.map((piece) => escapeForeign(textOf(piece), LONGEST_PIECE)).join('')

/** The line as it is written: foreign controls escaped, coloured, no wider than `cells` where given. */
export function paintLine(line: Line, style: Style, cells = Number.POSITIVE_INFINITY): string {
  const whole = line.map(
    (piece): Piece => ({
      ...(typeof piece === 'string' ? {} : piece),
      text: escapeForeign(textOf(piece), LONGEST_PIECE),
    }),
  )
  const mark = style.symbols === 'unicode' ? '…' : '~'
  const fits = whole.reduce((sum, { text }) => sum + cellWidth(text), 0) <= cells
  let left = fits ? cells : Math.max(0, cells - 1)
  const kept = whole.map(({ text, tone }) => {
    const shown = sliceCells(text, left)
    left = shown === text ? left - cellWidth(text) : 0
    return tone === undefined || !style.color || shown === '' ? shown : `\x1b[${SGR[tone]}m${shown}\x1b[0m`
  })
  return `${kept.join('')}${fits || cells < 1 ? '' : mark}`
}

/** Spaces after `text` up to `cells`; longer text stays whole. */
export const padCells = (text: string, cells: number): string => text + ' '.repeat(Math.max(0, cells - cellWidth(text)))

/** Spaces before `text`: for numbers. */
export const padCellsStart = (text: string, cells: number): string =>
  ' '.repeat(Math.max(0, cells - cellWidth(text))) + text

/** Whole lines, each with its end. */
export const paintLines = (lines: readonly Line[], style: Style): string =>
  lines.map((line) => `${paintLine(line, style)}\n`).join('')
