import { html, type Markup } from '../markup.ts'
import type { ReportDocument } from '../report-document.ts'
import { fillOf } from './drawing-parts.ts'
import { phaseOf } from './step-phase.ts'
import { placeOf, REFERENCE_PX, type TimeScale, widthOf } from './time-scale.ts'

const HEIGHT = 26
const FAILURE_TOP = 17

/**
 * The whole roll at any width, each node as one line of its phases, every failure as a mark. It shows nothing that is not
 * elsewhere.
 */
export function overviewStrip(report: ReportDocument, scale: TimeScale): Markup {
  const begun = report.nodes.filter(({ steps }) => steps.length > 0)
  const steps = begun.flatMap((node) =>
    node.steps.map(({ step, startedAt, endedAt }) => {
      const phase = phaseOf(step)
      const from = Date.parse(startedAt)
      const to = endedAt === null ? scale.toMs : Date.parse(endedAt)
      const role = phase === 'wait' ? 'outline' : phase
      return html`<rect x="${placeOf(scale, from)}" y="4" width="${widthOf(scale, from, to)}" height="9" ${fillOf(role)}/>`
    }),
  )
  const failures = report.windows.map(
    ({ firstBadAt }) =>
      html`<rect x="${placeOf(scale, Date.parse(firstBadAt))}" y="${FAILURE_TOP}" width="3" height="${HEIGHT - FAILURE_TOP}" ${fillOf('fail')}/>`,
  )
  return html`<svg class="overview" width="${REFERENCE_PX}" height="${HEIGHT}" aria-hidden="true" focusable="false">${steps}${failures}<rect class="view" x="0" y="0.5" width="100%" height="${HEIGHT - 1}" fill="none"/></svg>`
}
