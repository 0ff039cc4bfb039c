import { formatDuration } from '../../../ground/model/duration.ts'
import { currentHold, currentStep, type NodeView, type RollView } from '../../report/view/roll-view.ts'
import { besideTexts, failedText, progressText, stepNumber } from './node-text.ts'
import { reasonsText } from './reasons-text.ts'

/** The heartbeat about the node in work, where there is no live region. */
export function heartbeatText(view: RollView, node: NodeView, now: number): string {
  const step = currentStep(node)
  const hold = currentHold(step)
  const parts = [progressText(step), failedText(view), ...besideTexts(view)].filter((text) => text !== '')
  if (step === undefined) return parts.join(', ')
  const since = hold ?? step
  const isTimed = hold?.givesUpAt !== undefined && hold.givesUpAt > now
  const limit = isTimed ? ` of ${formatDuration(hold.givesUpAt - hold.startedAt)}` : ''
  const state = hold === undefined ? `step ${stepNumber(step)} for` : 'still held'
  const why = hold === undefined ? [reasonsText(step.waits ?? step.reasons)] : []
  return [`${state} ${formatDuration(now - since.startedAt)}${limit}`, ...why, ...parts].join(', ')
}
