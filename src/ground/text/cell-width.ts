const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
]

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/**
 * The number of terminal cells of `text`: 2 for wide and fullwidth characters (UAX #11) and for emoji, 0 for marks and
 * controls. Ambiguous width counts as 1, since such characters are not printed where it may be 2.
 */
export function cellWidth(text: string): number {
  if (isAscii(text)) return text.length
  let cells = 0
  for (const { segment } of graphemes.segment(text)) cells += graphemeCells(segment)
  return cells
}

/** The longest start of `text` that fits into `cells`; a character that people see as one is never split. */
export function sliceCells(text: string, cells: number): string {
  if (isAscii(text)) return text.slice(0, Math.max(0, cells))
  let used = 0
  let end = 0
  for (const { segment, index } of graphemes.segment(text)) {
    used += graphemeCells(segment)
    if (used > cells) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

function graphemeCells(segment: string): number {
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(segment)) return 2
  const code = segment.codePointAt(0) ?? 0
  if (/^[\p{Control}\p{Mark}\p{Format}]/u.test(segment)) return 0
  return WIDE.some(([low, high]) => code >= low && code <= high) ? 2 : 1
}
