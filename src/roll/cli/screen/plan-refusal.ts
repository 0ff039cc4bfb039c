import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { countOf } from '../../../ground/text/count-text.ts'
import { findingText } from '../../../ground/text/finding-text.ts'
import type { RollPlan } from '../../model/roll-plan.ts'
import { planErrors } from './plan-lines.ts'

/** The error for a plan that must not be begun, with all its causes; undefined for one that may. */
export function planRefusal(plan: RollPlan): UserError | undefined {
  const errors = planErrors(plan)
  if (errors.length === 0) return undefined
  const details = errors.map((finding) => planFindingText('error', finding))
  const message = `${countOf(errors.length, 'error')} in the plan for ${plan.cluster}. Nothing was changed.`
  return new UserError(message, { code: 'plan.refused', details })
}

/** A finding for stderr; its text names the node. */
export function planFindingText(label: string, { node, text, ...rest }: PlanFinding): string {
  const where = node === undefined || text.includes(node) ? '' : `${node}: `
  return findingText(label, { ...rest, text: `${where}${text}` })
}
