import { attributeLines, html, type Markup } from '../markup.ts'

/**
 * A part of a drawing that has details, for pointer, keys and screen readers. All its details are in `lines`; the page shows
 * them in one panel, and in a table as well.
 */
interface Mark {
  readonly kind: 'step' | 'band' | 'failure' | 'stray' | 'gap' | 'chart'
  readonly lines: readonly string[]
  readonly shape: Markup
  /** The numbers of its failure windows, like those of the cards. */
  readonly windows?: readonly number[]
}

export const markGroup = ({ kind, lines, shape, windows }: Mark): Markup =>
  html`<g class="mark" data-kind="${kind}"${windows === undefined ? '' : html` data-windows="${windows.join(' ')}"`} role="img" tabindex="-1" aria-label="${attributeLines(lines)}">${shape}</g>`
