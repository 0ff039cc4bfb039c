import { BUDGET_CONFIG_MAP, MAX_OUT_KEY } from '../../../model/budget-object.ts'
import type { ConfigMap } from '../../../model/config-map.ts'
import type { PlanFinding } from '../../../model/roll-plan.ts'
import type { RollSpec } from '../../../model/roll-spec.ts'
import { budgetLimit } from '../../budget/budget-limit.ts'
import { maxOut } from '../../budget/max-out.ts'

/** What stands against the node budget that was found: nothing is begun by one that makes no sense. */
export function maxOutFindings(
  { slots }: RollSpec,
  found: ConfigMap | undefined,
  nodes: number,
): readonly PlanFinding[] {
  const told = budgetLimit(found)
  if (told.kind === 'invalid') {
    const { code, text, next } = told.reason
    return [{ severity: 'error', code, text, ...(next === undefined ? {} : { fix: next }) }]
  }
  const allowed = told.kind === 'limit' ? maxOut(told.limit, nodes) : 1
  const asked = slots.maxOut === undefined ? allowed : maxOut(slots.maxOut, nodes)
  if (asked <= allowed) return []
  const object = `ConfigMap ${slots.namespace}/${BUDGET_CONFIG_MAP}`
  return [
    {
      severity: 'warning',
      code: 'MaxOutAboveBudget',
      text: `slots.maxOut asks for ${asked} nodes and ${object} ${told.kind === 'limit' ? `allows ${allowed}` : 'does not exist, which allows 1'}`,
      fix: `set data.${MAX_OUT_KEY} there, or ask for at most ${allowed}`,
    },
  ]
}
