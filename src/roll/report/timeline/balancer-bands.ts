import type { ServerTell } from '../document/server-tells.ts'
import { html, type Markup } from '../markup.ts'
import type { NodeDocument } from '../report-document.ts'
import { fillOf, patternOf } from './drawing-parts.ts'
import { markGroup } from './mark.ts'
import { placeOf, type TimeScale, widthOf } from './time-scale.ts'
import { momentText, spanText } from './time-words.ts'

export const BAND_ROW_PX = 14
const BAND_PX = 6
const TOP = 4

interface BalancerBand {
  readonly name: string
  readonly shapes: Markup
}

/** One band for each instance and backend: the states of this node's servers, over the whole roll. */
export function balancerBands({ name, servers }: NodeDocument, scale: TimeScale): readonly BalancerBand[] {
  const bands = Map.groupBy(servers, ({ backend, instance }) => `${backend} on ${instance}`)
  return [...bands].map(([band, tells]) => {
    const spans = spansOf(tells, scale)
    const shapes = spans.map((span) =>
      markGroup({ kind: 'band', lines: linesOf(span, `${name}, ${band}`, scale), shape: shapeOf(span, scale) }),
    )
    return { name: `${band}: ${FIRST[spans[0]?.state ?? 'unknown']}`, shapes: html`${shapes}` }
  })
}

/** The state at the beginning of a drawing; the balancer's own word is in capitals. */
const FIRST: Readonly<Record<BandSpan['state'], string>> = {
  ready: 'ready',
  drain: 'DRAIN',
  maint: 'MAINT',
  unknown: 'not known',
}

interface BandSpan {
  readonly from: number
  readonly to: number
  readonly state: ServerTell['state'] | 'unknown'
  readonly again: readonly number[]
}

/** The tells that the axis shows. A state that was set already changes nothing. */
function spansOf(tells: readonly ServerTell[], { fromMs, toMs, startMs }: TimeScale): readonly BandSpan[] {
  const [first] = tells
  let state: BandSpan['state'] = first?.how === 'found' ? first.state : 'unknown'
  let from = startMs
  let again: readonly number[] = []
  const spans: BandSpan[] = []
  for (const tell of tells) {
    const at = Date.parse(tell.at)
    if (tell.how === 'again') again = [...again, at]
    if (tell.how !== 'told' || tell.state === state) continue
    spans.push({ from, to: at, state, again })
    state = tell.state
    from = at
    again = []
  }
  const all = [...spans, { from, to: Math.max(from, toMs), state, again }]
  return all.filter((span) => span.to > fromMs && span.from < toMs)
}

const WORDS: Readonly<Record<BandSpan['state'], string>> = {
  ready: 'ready: gets its share of new traffic',
  drain: 'DRAIN: no new traffic',
  maint: 'MAINT: out',
  unknown: 'not known: the balancer has not answered yet',
}

const linesOf = ({ from, to, state, again }: BandSpan, name: string, scale: TimeScale): readonly string[] => [
  name,
  `${WORDS[state]}; ${spanText(scale, from, to)}`,
  ...again.map((at) => `set again after a reload had lost it: ${momentText(scale, at)}`),
]

function shapeOf({ from, to, state, again }: BandSpan, scale: TimeScale): Markup {
  const x = placeOf(scale, from)
  const width = widthOf(scale, from, to)
  const rect = (y: number, height: number, paint: Markup): Markup =>
    html`<rect x="${x}" y="${y}" width="${width}" height="${height}" ${paint}/>`
  const marks = again.map(
    (at) => html`<rect x="${placeOf(scale, at)}" y="0" width="2" height="${BAND_ROW_PX}" ${fillOf('text')}/>`,
  )
  switch (state) {
    case 'ready':
      return html`${rect(TOP + 2, 2, fillOf('return'))}${marks}`
    case 'drain':
      return html`${rect(TOP + BAND_PX / 2, BAND_PX / 2, fillOf('leave'))}${marks}`
    case 'maint':
      return html`${rect(TOP, BAND_PX, fillOf('away'))}${marks}`
    case 'unknown':
      return html`${rect(TOP + 1, 4, patternOf('gap'))}${marks}`
  }
}
