import { formatDuration, formatMinSec } from '../../../ground/model/duration.ts'
import { timeText } from '../../../ground/text/time-text.ts'
import { html, type Markup } from '../markup.ts'
import { fillOf, strokeOf } from './drawing-parts.ts'
import { drawingRow } from './drawing-row.ts'
import { pixelAt, placeOf, REFERENCE_PX, type TimeScale, ticksOf } from './time-scale.ts'

interface Axis {
  readonly name: string
  readonly text: (at: number, scale: TimeScale) => string
  readonly y: number
  readonly tickY: number
}

const AXES = {
  elapsed: { name: 'after the start', text: (at, { startMs }) => formatMinSec(at - startMs), y: 12, tickY: 15 },
  failure: {
    name: 'from the first failure',
    text: (at, { zeroMs }) => `${at < zeroMs ? '−' : ''}${formatDuration(Math.abs(at - zeroMs))}`,
    y: 12,
    tickY: 15,
  },
  utc: { name: 'UTC', text: (at) => timeText(at).replace(/Z$/, ''), y: 15, tickY: 0 },
} as const satisfies Readonly<Record<string, Axis>>

/** Elapsed time is above the rows, UTC below them. */
export function axisRow(scale: TimeScale, clock: keyof typeof AXES): Markup {
  const { name, text, y, tickY }: Axis = AXES[clock]
  const shapes = ticksOf(scale).map((at, index) => {
    const x = placeOf(scale, at)
    const px = pixelAt(scale, at)
    const anchor = px < 20 ? 'start' : px > REFERENCE_PX - 30 ? 'end' : 'middle'
    return html`<line x1="${x}" x2="${x}" y1="${tickY}" y2="${tickY + 4}" ${strokeOf('outline')}/><text x="${x}" y="${y}" text-anchor="${anchor}" font-size="11" ${fillOf('quiet', index % 4 === 0 ? '' : ' minor')}>${text(at, scale)}</text>`
  })
  return drawingRow({ kind: 'axis', name, total: '', heightPx: 19, shapes: html`${shapes}`, guides: [] }, scale)
}
