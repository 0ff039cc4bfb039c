import { escapeForeign } from '../model/foreign-text.ts'
import { cellWidth } from './cell-width.ts'
import { padCells, padCellsStart } from './terminal/style.ts'

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
}

/** Rows below their titles, columns two cells apart, indented by two cells; no space at the end of a line. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const texts = [columns.map(({ title }) => title), ...rows.map((row) => row.map((text) => escapeForeign(text)))]
  const widths = columns.map((_, index) => Math.max(...texts.map((row) => cellWidth(row[index] ?? ''))))
  return texts.map((row) => {
    const cells = columns.map(({ align }, index) => {
      const pad = align === 'left' ? padCells : padCellsStart
      return pad(row[index] ?? '', widths[index] ?? 0)
    })
    return `  ${cells.join('  ')}`.trimEnd()
  })
}
