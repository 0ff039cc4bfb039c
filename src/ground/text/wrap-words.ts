import { escapeForeign } from '../model/foreign-text.ts'
import { commandText, piecesOf, type Sentence } from '../model/sentence.ts'
import { cellWidth, sliceCells } from './cell-width.ts'

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

/** Lines of a sentence; a command that would be broken stands whole on a line by itself, so that it can be pasted. */
export function wrapText(sentence: Sentence, cells: number, charactersMax: number): readonly string[] {
  const pieces = piecesOf(sentence).map((piece) => {
    const isCommand = typeof piece === 'object'
    return { text: escapeForeign(isCommand ? commandText(piece) : piece, charactersMax), isCommand }
  })
  const whole = pieces.map(({ text }) => text).join('')
  if (cellWidth(whole) <= cells || pieces.every(({ isCommand }) => !isCommand)) return wrapWords(whole, cells)
  return pieces.flatMap(({ text, isCommand }) => {
    if (isCommand) return [text]
    const prose = text
      .replace(/^[,;.]? /, '')
      .replace(/ \($/, ':')
      .trimEnd()
    return prose === '' || /^[.,;)]$/.test(prose) ? [] : wrapWords(prose, cells)
  })
}
