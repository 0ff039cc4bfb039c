import { formatDuration } from '../../../ground/model/duration.ts'
import { countText } from '../../../ground/text/count-text.ts'
import { STEPS } from '../../model/step.ts'
import { currentStep, type NodeView, type RollView, type StepView } from '../../report/view/roll-view.ts'
import { allowedText } from '../../report/view/stop-text.ts'

/** `5/11`. */
export const stepNumber = ({ step }: Pick<StepView, 'step'>): string => `${STEPS.indexOf(step) + 1}/${STEPS.length}`

/** `8 of 11 pods`; empty while nothing is counted. */
export const progressText = (step: StepView | undefined): string =>
  step?.progress === undefined
    ? ''
    : `${countText(step.progress.done)} of ${countText(step.progress.total)} ${step.progress.unit}`

/** `, stage 2 of 2`. */
export const stageText = (step: StepView): string =>
  step.progress?.stage === undefined ? '' : `, stage ${step.progress.stage[0]} of ${step.progress.stage[1]}`

/** `0 failed of 32,000`; nothing where nothing is measured. */
export function loadText({ load }: RollView): string {
  return load === undefined ? 'not measured' : `${countText(load.failed)} failed of ${countText(load.sent)}`
}

/**
 * `0 failed of 32,000, 3 more not counted (a control failed too), not measured for 41 s`: the parts that a verdict must not
 * leave out.
 */
export const measuredText = (view: RollView): string =>
  [loadText(view), allowedText(view.load?.stop), ...besideTexts(view), gapText(view)]
    .filter((text) => text !== undefined)
    .join(', ')

/** The requests that are counted apart from those that failed. */
export const besideTexts = (view: RollView): readonly string[] =>
  [...undecidedTexts(view), excusedText(view), retriedText(view)].filter((text) => text !== undefined)

/** Failed requests that are not counted yet. */
export const undecidedTexts = ({ load }: RollView): readonly string[] =>
  (load?.undecided ?? 0) === 0 ? [] : [`${countText(load?.undecided ?? 0)} more failed, unless a control did too`]

/** Failed requests that a control excuses. */
const excusedText = ({ load }: RollView): string | undefined =>
  (load?.excused ?? 0) === 0 ? undefined : `${countText(load?.excused ?? 0)} more not counted (a control failed too)`

/** `12 retried`: sent a second time, since their kept connection was closed before an answer. */
const retriedText = ({ load }: RollView): string | undefined =>
  (load?.retried ?? 0) === 0 ? undefined : `${countText(load?.retried ?? 0)} retried`

export const gapText = ({ load }: RollView): string | undefined =>
  (load?.notMeasuredMs ?? 0) === 0 ? undefined : `not measured for ${formatDuration(load?.notMeasuredMs ?? 0)}`

/** `0 failed`, where there is no room for more. */
export const failedText = ({ load }: RollView): string =>
  load === undefined ? 'not measured' : `${countText(load.failed)} failed`

/** What was done to a node that is under way, by its finished steps. */
export function markText(node: NodeView): string {
  const done = new Set(node.steps.filter((step) => step.endedAt !== undefined).map(({ step }) => step))
  const cordoned = done.has('cordon') && !done.has('uncordon')
  const begun = currentStep(node)?.step
  const detached = done.has('detach') && !done.has('attach')
  const marks = [...(cordoned ? ['cordoned'] : []), ...(detached && begun !== 'soak' ? ['detached'] : [])]
  return marks.length === 0 ? 'not yet changed or back as it was' : marks.join(' and ')
}
