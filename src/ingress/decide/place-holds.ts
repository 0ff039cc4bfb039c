import type { Reason } from '../../ground/model/reason.ts'
import type { IngressNode } from './snapshot.ts'

/** Why new pods cannot be placed on the node, or would not run there. If others work on it, its pods come back when that ends. */
export function placeHolds(n: IngressNode, isInMaintenance: boolean): readonly Reason[] {
  const reasons: Reason[] = []
  const say = (code: Reason['code'], text: string): number => reasons.push({ code, object: n.name, text })
  if (n.eligibility === 'Keep') say('NewPodsRefused', `${n.name} has a taint that new pods do not tolerate`)
  if (n.node?.unschedulable === true && !isInMaintenance)
    say('NewPodsRefused', `${n.name} is cordoned, so that no new pod is placed there`)
  if (n.node?.ready !== 'True') say('NodeNotReady', `${n.name} is not Ready`)
  return reasons
}
