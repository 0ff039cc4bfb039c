import { html, type Markup } from '../markup.ts'
import { strokeOf } from './drawing-parts.ts'
import { placeOf, REFERENCE_PX, type TimeScale, ticksOf } from './time-scale.ts'

interface DrawingRow {
  readonly kind: 'node' | 'band' | 'lane' | 'chart' | 'axis'
  readonly name: string
  /** At the right edge. */
  readonly total: string
  readonly heightPx: number
  readonly shapes: Markup
  /** Times at which a thin line passes through, down to a failure. */
  readonly guides: readonly number[]
}

/** A name, a drawing and a total: side by side where there is room; on a phone the words are above the drawing. */
export function drawingRow(row: DrawingRow, scale: TimeScale): Markup {
  const { kind, name, total, heightPx, shapes, guides } = row
  const grid = kind === 'axis' ? [] : ticksOf(scale).map((at) => upright(placeOf(scale, at), heightPx, 'hair'))
  const lines = guides.map((at) => upright(placeOf(scale, at), heightPx, 'fail'))
  const label = name === '' ? html`aria-hidden="true"` : html`aria-label="${name}"`
  return html`<div class="row ${kind}"><div class="name">${name}</div><svg class="bar" width="${REFERENCE_PX}" height="${heightPx}" role="group" ${label}>${grid}${shapes}${lines}</svg><div class="total">${total}</div></div>
`
}

const upright = (x: string, heightPx: number, role: 'hair' | 'fail'): Markup =>
  html`<line x1="${x}" x2="${x}" y1="0" y2="${heightPx}" ${strokeOf(role)} stroke-width="1"/>`
