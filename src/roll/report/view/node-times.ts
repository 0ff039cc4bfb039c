import { STEPS, type Step } from '../../model/step.ts'
import type { NodeView } from './roll-view.ts'

/** How long each phase of a node took; the four phases make up the total. */
export interface NodeTimes {
  readonly totalMs: number
  readonly leaveMs: number
  readonly drainMs: number
  readonly awayMs: number
  readonly returnMs: number
  /** The part of the total in which a guard held the node. */
  readonly heldMs: number
}

const upTo = (step: Step): readonly Step[] => STEPS.slice(0, STEPS.indexOf(step))
const from = (step: Step): readonly Step[] => STEPS.slice(STEPS.indexOf(step))
const LEAVE = upTo('drain')
const RETURN = from('uncordon')

/** `until` is the end of a step that has not ended. Undefined for a node that was never begun. */
export function nodeTimes(node: NodeView, until: number): NodeTimes | undefined {
  if (node.startedAt === undefined) return undefined
  const spent = (steps: readonly Step[]): number =>
    node.steps
      .filter(({ step }) => steps.includes(step))
      .reduce((sum, { startedAt, endedAt = until }) => sum + endedAt - startedAt, 0)
  const holds = node.steps.flatMap((step) => step.holds)
  return {
    totalMs: (node.endedAt ?? until) - node.startedAt,
    leaveMs: spent(LEAVE),
    drainMs: spent(['drain']),
    awayMs: spent(['reboot', 'proof']),
    returnMs: spent(RETURN),
    heldMs: holds.reduce((sum, { startedAt, endedAt = until }) => sum + endedAt - startedAt, 0),
  }
}
