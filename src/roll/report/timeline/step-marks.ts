import { formatDuration } from '../../../ground/model/duration.ts'
import { html, type Markup } from '../markup.ts'
import { ownReasons } from '../own-reasons.ts'
import type { NodeDocument, StepDocument } from '../report-document.ts'
import { fillOf, patternOf, strokeOf, textPixels } from './drawing-parts.ts'
import { markGroup } from './mark.ts'
import { phaseOf, type StepPhase } from './step-phase.ts'
import { pixelsOf, placeOf, type TimeScale, widthOf } from './time-scale.ts'
import { spanText } from './time-words.ts'

export const NODE_ROW_PX = 18
const NARROWEST_PX = 2

interface Placed {
  readonly node: NodeDocument
  readonly step: StepDocument
  readonly from: number
  readonly to: number
  /** The steps before and after it are of another phase: the ends of a phase have thick edges. */
  readonly first: boolean
  readonly last: boolean
}

/** The steps of one node, left to right, with their holds. `until` is the end of steps that have not ended. */
export function stepMarks(node: NodeDocument, scale: TimeScale, until: number): readonly Markup[] {
  return node.steps.map((step, index) => {
    const phase = phaseOf(step.step)
    const isSame = (other: StepDocument | undefined): boolean => other !== undefined && phaseOf(other.step) === phase
    const from = Date.parse(step.startedAt)
    const to = step.endedAt === null ? until : Date.parse(step.endedAt)
    const placed = { node, step, from, to, first: !isSame(node.steps[index - 1]), last: !isSame(node.steps[index + 1]) }
    return markGroup({ kind: 'step', lines: stepLines(placed, scale, until), shape: stepShape(placed, scale, until) })
  })
}

function stepLines({ node, step, from, to }: Placed, scale: TimeScale, until: number): readonly string[] {
  const { progress, holds } = step
  return [
    `${node.name}, ${step.step}${step.endedAt === null ? ' (not ended)' : ''}`,
    spanText(scale, from, to),
    ...(progress === null ? [] : [`${progress.done} of ${progress.total} ${progress.unit}`]),
    ...holds.map((hold) => {
      const ms = (hold.endedAt === null ? until : Date.parse(hold.endedAt)) - Date.parse(hold.startedAt)
      return `held ${formatDuration(ms)}: ${hold.reasons.map(({ text }) => text).join('; ')}`
    }),
    ...ownReasons(step).slice(0, 6),
  ]
}

function stepShape(placed: Placed, scale: TimeScale, until: number): Markup {
  const { step, from, to, first, last } = placed
  const phase = phaseOf(step.step)
  const x = placeOf(scale, from)
  const width = widthOf(scale, from, to)
  const px = pixelsOf(scale, from, to)
  const end = placeOf(scale, to)
  return html`${body(phase, x, width)}${px < NARROWEST_PX ? widened(phase, x) : ''}${
    phase === 'leave' && first ? html`<rect x="${x}" width="3" height="${NODE_ROW_PX}" ${fillOf('text')}/>` : ''
  }${
    phase === 'return' && last
      ? html`<svg x="${end}" overflow="visible"><rect x="-3" width="3" height="${NODE_ROW_PX}" ${fillOf('text')}/></svg>`
      : ''
  }${step.holds.map((hold) => holdShape(hold, scale, until))}${px > 4 ? gap(x) : ''}${label(placed, scale)}`
}

function body(phase: StepPhase, x: string, width: string): Markup {
  if (phase === 'wait') {
    return html`<rect x="${x}" y="0.5" width="${width}" height="${NODE_ROW_PX - 1}" fill="none" ${strokeOf('outline')} stroke-dasharray="3 2"/>`
  }
  const rect = html`<rect x="${x}" width="${width}" height="${NODE_ROW_PX}" ${fillOf(phase)}/>`
  if (phase !== 'drain') return rect
  return html`${rect}<rect x="${x}" width="${width}" height="${NODE_ROW_PX}" ${patternOf('dots')}/>`
}

/** A mark that is wider than its duration has a notch at its foot. */
function widened(phase: StepPhase, x: string): Markup {
  const role = phase === 'wait' ? 'outline' : phase
  return html`<rect data-wide="" x="${x}" width="${NARROWEST_PX}" height="${NODE_ROW_PX - 4}" ${fillOf(role)}/>`
}

const holdShape = (hold: StepDocument['holds'][number], scale: TimeScale, until: number): Markup => {
  const from = Date.parse(hold.startedAt)
  const to = hold.endedAt === null ? until : Date.parse(hold.endedAt)
  return html`<rect x="${placeOf(scale, from)}" y="3" width="${widthOf(scale, from, to)}" height="${NODE_ROW_PX - 6}" ${fillOf('paper')}/><rect x="${placeOf(scale, from)}" y="3" width="${widthOf(scale, from, to)}" height="${NODE_ROW_PX - 6}" ${patternOf('hatch')}/>`
}

const gap = (x: string): Markup => html`<rect x="${x}" width="1" height="${NODE_ROW_PX}" ${fillOf('paper')}/>`

/** The label is inside where it fits, before the first hold; otherwise it is hidden, and only in the panel and the table. */
function label({ step, from, to }: Placed, scale: TimeScale): Markup {
  const until = step.holds[0] === undefined ? to : Date.parse(step.holds[0].startedAt)
  const width = textPixels(step.step)
  const hidden = pixelsOf(scale, from, until) < width + 12 ? html` display="none"` : ''
  const phase = phaseOf(step.step)
  const ground =
    phase === 'drain' ? html`<rect x="4" y="3" width="${Math.round(width + 4)}" height="12" ${fillOf(phase)}/>` : ''
  return html`<svg x="${placeOf(scale, from)}" overflow="visible"><g class="label" data-ms="${Math.round(until - from)}" data-px="${Math.round(width + 12)}"${hidden}>${ground}<text x="6" y="13" font-size="11" ${fillOf(phase === 'wait' ? 'quiet' : 'onFill')}>${step.step}</text></g></svg>`
}
