import { badReply } from './socket-error.ts'

/** RFC 4180 with LF, as HAProxy writes it: quotes only where needed, doubled inside. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at <= text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at)
    row.push(cell.value)
    at = cell.end
    if (text[at] !== ',') {
      rows.push(row)
      row = []
    }
    at += 1
  }
  return rows
}

interface Cell {
  readonly value: string
  /** Index of the comma, line end or end of text behind it. */
  readonly end: number
}

function plainCell(text: string, start: number): Cell {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end += 1
  return { value: text.slice(start, end), end }
}

function quotedCell(text: string, start: number): Cell {
  let value = ''
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) throw badReply('the statistics break off inside quotes')
    value += text.slice(at, quote)
    if (text[quote + 1] !== '"') {
      const next = text[quote + 1]
      if (next !== undefined && next !== ',' && next !== '\n') throw badReply('the statistics go on behind a quote')
      return { value, end: quote + 1 }
    }
    value += '"'
    at = quote + 2
  }
}
