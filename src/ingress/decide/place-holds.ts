import type { Reason } from '../../ground/model/reason.ts'
import { eligibilityAt, type IngressNode } from './snapshot.ts'

/**
 * Why new pods of a revision cannot be placed on the node, or would not run there. If others work on it, its pods come back when that ends.
 * Nothing, where the revision has no pods on it.
 */
export function placeHolds(
  n: IngressNode,
  { revision, isInMaintenance = false }: { readonly revision: string; readonly isInMaintenance?: boolean },
): readonly Reason[] {
  const eligibility = eligibilityAt(n, revision)
  if (eligibility === 'Leave') return []
  const reasons: Reason[] = []
  const say = (code: Reason['code'], text: string): number => reasons.push({ code, object: n.name, text })
  if (eligibility === 'Keep') say('NewPodsRefused', `${n.name} has a taint that new pods do not tolerate`)
  if (n.node?.unschedulable === true && !isInMaintenance)
    say('NewPodsRefused', `${n.name} is cordoned, so that no new pod is placed there`)
  if (n.node?.ready !== 'True') say('NodeNotReady', `${n.name} is not Ready`)
  return reasons
}
