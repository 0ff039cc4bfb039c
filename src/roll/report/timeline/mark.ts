import { attributeLines, html, type Markup } from '../markup.ts'

/**
 * Something that can be pointed at, reached by keys and read aloud. All that is known of it is in `lines`; the page shows
 * them in one panel, and has them in a table as well.
 */
interface Mark {
  readonly kind: 'step' | 'band' | 'failure' | 'stray' | 'gap' | 'chart'
  readonly lines: readonly string[]
  readonly shape: Markup
  /** Numbers of the failure windows that it stands for, as the cards have them. */
  readonly windows?: readonly number[]
}

export const markGroup = ({ kind, lines, shape, windows }: Mark): Markup =>
  html`<g class="mark" data-kind="${kind}"${windows === undefined ? '' : html` data-windows="${windows.join(' ')}"`} role="img" tabindex="-1" aria-label="${attributeLines(lines)}">${shape}</g>`
