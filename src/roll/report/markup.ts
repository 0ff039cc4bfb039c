import { asUnicodeEscapes, escapeForeign, shownJson } from '../../ground/model/foreign-text.ts'
import { plainly } from '../../ground/model/sentence.ts'

/** Text that is HTML already. Only `html` and `constantMarkup` make it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type MarkupPart = string | number | Markup | undefined | readonly MarkupPart[]

/** How much of one foreign text a report shows at most. */
const SHOWN_MAX = 2000

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for an element or a quoted attribute; controls of C0, C1 and of direction are written as names. */
const escapeHtml = (text: string): string =>
  escapeForeign(text, SHOWN_MAX).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)

const partText = (part: MarkupPart): string => {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'string') return escapeHtml(part)
  return typeof part === 'number' ? String(part) : part.map(partText).join('')
}

/** A template whose parts are text unless they are markup: foreign text can never become a tag. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(strings.reduce((text, string, index) => `${text}${partText(parts[index - 1])}${string}`))
}

/** For text that is written in this program: style and script. */
export const constantMarkup = (text: string): Markup => new Markup(text)

/** The lines of one attribute, each text escaped by itself. */
export const attributeLines = (lines: readonly string[]): Markup =>
  new Markup(lines.map((line) => escapeHtml(line)).join('&#10;'))

/** JSON for a script element: no `<`, and every control character escaped. */
export const scriptJson = (value: unknown): Markup => new Markup(asUnicodeEscapes(shownJson(value, plainly), /[<>&]/g))
