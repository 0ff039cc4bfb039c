import { present } from '../../ground/model/present.ts'
import type { Condition } from './pod-object.ts'

/** Sets the condition of a type; its time is that of the last change of its status (API conventions, "Conditions"). */
export function withCondition<C extends Condition>(conditions: readonly C[] | undefined, next: C): readonly C[] {
  const old = conditions?.find(({ type }) => type === next.type)
  const since = old?.status === next.status ? old.lastTransitionTime : next.lastTransitionTime
  const set = { ...next, ...present({ lastTransitionTime: since }) }
  if (conditions === undefined || old === undefined) return [...(conditions ?? []), set]
  return conditions.map((condition) => (condition === old ? set : condition))
}
