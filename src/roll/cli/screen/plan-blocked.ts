import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { BlockedError } from '../../../ground/model/user-error.ts'
import { countOf } from '../../../ground/text/count-text.ts'
import type { RollPlan } from '../../model/roll-plan.ts'
import { findingTexts } from './plan-refusal.ts'

/** What forbids a plan; undefined where a person need not do anything. */
export function planBlocked(plan: RollPlan): BlockedError | undefined {
  const blocks = planBlocks(plan)
  if (blocks.length === 0) return undefined
  const verb = blocks.length === 1 ? 'blocks' : 'block'
  return new BlockedError(
    `${countOf(blocks.length, 'finding')} ${verb} the roll of ${plan.cluster}. Nothing was changed. To roll all the same: --even-if-blocked`,
    { code: 'plan.blocked', details: findingTexts('blocked', blocks) },
  )
}

const planBlocks = (plan: RollPlan): readonly PlanFinding[] =>
  plan.findings.filter(({ severity }) => severity === 'block')
