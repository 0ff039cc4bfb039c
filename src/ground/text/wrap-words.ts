import { cellWidth, sliceCells } from './cell-width.ts'
import { commandPieces } from './paste.ts'

/** Lines of at most `cells`, broken between words; a word that is wider is broken where it must be. */
export function wrapWords(text: string, cells: number): readonly string[] {
  const room = Math.max(1, cells)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((whole) => brokenWord(whole, room))) {
    const joined = line === '' ? word : `${line} ${word}`
    if (line !== '' && cellWidth(joined) > room) {
      lines.push(line)
      line = word
    } else {
      line = joined
    }
  }
  return [...lines, line]
}

function brokenWord(word: string, room: number): readonly string[] {
  const parts: string[] = []
  let rest = word
  while (cellWidth(rest) > room) {
    const part = sliceCells(rest, room)
    // One character may be wider than all the room there is.
    const taken = part === '' ? ([...rest][0] ?? rest) : part
    parts.push(taken)
    rest = rest.slice(taken.length)
  }
  return [...parts, rest]
}

/** Lines of prose; a command that would be broken stands whole on a line by itself, so that it can be pasted. */
export function wrapText(text: string, cells: number): readonly string[] {
  const pieces = commandPieces(text)
  if (cellWidth(text) <= cells || pieces.every(({ isCommand }) => !isCommand)) return wrapWords(text, cells)
  return pieces.flatMap((piece) => {
    if (piece.isCommand) return [piece.text]
    const prose = piece.text.replace(/^[,;.]? /, '').trimEnd()
    return prose === '' || /^[.,;)]$/.test(prose) ? [] : wrapWords(prose, cells)
  })
}
