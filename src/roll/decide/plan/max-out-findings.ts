import type { ConfigMap } from '../../../ground/model/config-map.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { present } from '../../../ground/model/present.ts'
import { budgetLimit } from '../../../service/decide/budget/budget-limit.ts'
import { maxOut } from '../../../service/decide/budget/max-out.ts'
import { BUDGET_CONFIG_MAP, MAX_OUT_KEY } from '../../../service/model/budget-object.ts'
import type { RollSpec } from '../../model/roll-spec.ts'

/** Findings about the node budget: with one that makes no sense no node is begun. */
export function maxOutFindings(
  { slots, parallel }: Pick<RollSpec, 'slots' | 'parallel'>,
  found: ConfigMap | undefined,
  nodes: number,
): readonly PlanFinding[] {
  const parsed = budgetLimit(found)
  if (parsed.kind === 'invalid') {
    const { code, text, next } = parsed.reason
    return [{ severity: 'error', code, text, ...present({ fix: next }) }]
  }
  const allowed = parsed.kind === 'limit' ? maxOut(parsed.limit, nodes) : 1
  const asked = slots.maxOut === undefined ? allowed : maxOut(slots.maxOut, nodes)
  const object = `ConfigMap ${slots.namespace}/${BUDGET_CONFIG_MAP}`
  const together = parallel === undefined ? [] : tooMany(parallel.nodes, Math.min(asked, allowed), object)
  if (asked <= allowed) return together
  return [
    {
      severity: 'warning',
      code: 'MaxOutAboveBudget',
      text: `slots.maxOut asks for ${asked} nodes and ${object} ${parsed.kind === 'limit' ? `allows ${allowed}` : 'does not exist, which allows 1'}`,
      fix: `set data.${MAX_OUT_KEY} there, or ask for at most ${allowed}`,
    },
    ...together,
  ]
}

function tooMany(asked: number, allowed: number, object: string): readonly PlanFinding[] {
  if (asked <= allowed) return []
  return [
    {
      severity: 'warning',
      code: 'ParallelAboveBudget',
      text: `parallel asks for ${asked} nodes at a time, and the node budget allows ${allowed}, so the roll takes ${allowed} at a time`,
      fix: `set data.${MAX_OUT_KEY} of ${object} to ${asked}, and slots.maxOut of the file if it is there, or write parallel: ${allowed}`,
    },
  ]
}
