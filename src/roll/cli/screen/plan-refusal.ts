import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { plainText } from '../../../ground/model/sentence.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { countOf } from '../../../ground/text/count-text.ts'
import type { RollPlan } from '../../model/roll-plan.ts'
import { planErrors } from './plan-lines.ts'

/** The error for a plan that must not be begun, with all its causes; undefined for one that may. */
export function planRefusal(plan: RollPlan): UserError | undefined {
  const errors = planErrors(plan)
  if (errors.length === 0) return undefined
  const details = errors.map((finding) => findingText('error', finding))
  const message = `${countOf(errors.length, 'error')} in the plan for ${plan.cluster}. Nothing was changed.`
  return new UserError(message, { code: 'plan.refused', details })
}

/** One finding for stderr, with what to do about it. */
export function findingText(label: string, { code, node, text, fix }: PlanFinding): string {
  const where = node === undefined || text.includes(node) ? '' : `${escapeForeign(node)}: `
  const lines = [`${label}: ${where}${escapeForeign(text)} (${code})`]
  return [...lines, ...(fix === undefined ? [] : [`  = fix: ${escapeForeign(plainText(fix))}`])].join('\n')
}
