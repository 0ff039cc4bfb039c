import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { cellWidth, sliceCells } from '../../ground/text/cell-width.ts'
import { fixLines } from '../../ground/text/finding-text.ts'
import type { FileFinding } from '../model/file-finding.ts'
import { placeAt, type SourceText } from './source-text.ts'

const EXCERPT_CELLS = 100
/** How many cells are left of the caret, so that the marked text is still on the line. */
const BEFORE_MAX = 60
const CARETS_MAX = 36

/** One finding as people read it: what, where, the line itself with a caret under the place, the fix. */
export function renderFinding(source: SourceText, finding: FileFinding): string {
  const { line, column, lineText, lineStart } = placeAt(source.text, finding.span[0])
  const gutter = ' '.repeat(String(line).length)
  const within = { start: finding.span[0] - lineStart, end: finding.span[1] - lineStart }
  const { excerpt, indent, carets } = excerptOf(lineText, within)
  const hint = finding.hint === undefined || finding.hint === '' ? '' : ` ${escapeForeign(finding.hint)}`
  const beside = hint === '' || cellWidth(`${gutter} | ${indent}`) + carets + cellWidth(hint) <= EXCERPT_CELLS
  return [
    `error: ${escapeForeign(finding.text)} (${finding.code})`,
    `${gutter}--> ${escapeForeign(source.file)}:${line}:${column}`,
    `${line} | ${excerpt}`.trimEnd(),
    `${gutter} | ${indent}${'^'.repeat(carets)}${beside ? hint : ''}`,
    ...(beside ? [] : wrapped(hint.trim()).map((line, at) => `${gutter} = ${at === 0 ? 'note: ' : '      '}${line}`)),
    ...fixLines(finding.fix, gutter),
  ].join('\n')
}

/** The list of all fields of a section is longer than a line. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && cellWidth(`${line} ${word}`) <= EXCERPT_CELLS) lines.splice(-1, 1, `${line} ${word}`)
    else lines.push(word)
  }
  return lines
}

interface Excerpt {
  readonly excerpt: string
  readonly indent: string
  readonly carets: number
}

/** Long lines are cut around the place. Tabs stay in both lines, so that the caret is right at any tab width. */
function excerptOf(lineText: string, { start, end }: { readonly start: number; readonly end: number }): Excerpt {
  const before = shown(lineText.slice(0, start))
  const marked = shown(lineText.slice(start, Math.max(end, start)))
  const carets = Math.max(1, Math.min(cellWidth(marked), CARETS_MAX))
  const kept = cellWidth(before) > BEFORE_MAX ? `...${lastCells(before, BEFORE_MAX - 3)}` : before
  const whole = `${kept}${marked}${shown(lineText.slice(Math.max(end, start)))}`
  const cut = cellWidth(whole) > EXCERPT_CELLS ? `${sliceCells(whole, EXCERPT_CELLS - 3)}...` : whole
  return { excerpt: cut, indent: kept.replace(/[^\t]+/g, (text) => ' '.repeat(cellWidth(text))), carets }
}

const shown = (text: string): string =>
  text
    .split('\t')
    .map((part) => escapeForeign(part, 10_000))
    .join('\t')

function lastCells(text: string, cells: number): string {
  let kept = text
  while (cellWidth(kept) > cells) kept = kept.slice(Math.max(1, Math.floor((cellWidth(kept) - cells) / 2)))
  return kept
}
