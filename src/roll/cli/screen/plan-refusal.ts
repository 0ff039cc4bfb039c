import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { plainText } from '../../../ground/model/sentence.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { findingText } from '../../../ground/text/finding-text.ts'
import type { RollPlan } from '../../model/roll-plan.ts'
import { planErrors } from './plan-lines.ts'

/** The error for a plan that must not be begun, with all its causes; undefined for one that may. */
export function planRefusal(plan: RollPlan): UserError | undefined {
  const errors = planErrors(plan)
  if (errors.length === 0) return undefined
  const details = findingTexts('error', errors)
  const message = `${countOf(errors.length, 'error')} in the plan for ${plan.cluster}. Nothing was changed.`
  return new UserError(message, { code: 'plan.refused', details })
}

const NAMED_AT_MOST = 5

/** Findings for stderr. What several nodes share, as where one key is missing, is said once. */
export function findingTexts(label: string, findings: readonly PlanFinding[]): readonly string[] {
  const groups = Map.groupBy(findings, ({ code, node, text, fix = '' }) =>
    JSON.stringify([code, ...[text, plainText(fix)].map((words) => withoutPlace(words, node))]),
  )
  return [...groups.values()].map(([first, ...others]) => {
    if (first === undefined) return ''
    const names = others.flatMap(({ node }) => node ?? [])
    if (names.length === 0) return planFindingText(label, first)
    const shown = names.slice(0, NAMED_AT_MOST).join(', ')
    const more = names.length > NAMED_AT_MOST ? ` and ${countText(names.length - NAMED_AT_MOST)} more` : ''
    return `${planFindingText(label, first)}\n  = note: the same for ${shown}${more}`
  })
}

const withoutPlace = (text: string, node: string | undefined): string =>
  (node === undefined ? text : text.replaceAll(node, '#')).replaceAll(ADDRESS, '#')

/** IPv4, and what may be IPv6. */
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]*:[0-9a-f:]+\b/gi

/** A finding for stderr; its text names the node. */
function planFindingText(label: string, { node, text, ...rest }: PlanFinding): string {
  const where = node === undefined || text.includes(node) ? '' : `${node}: `
  return findingText(label, { ...rest, text: `${where}${text}` })
}
