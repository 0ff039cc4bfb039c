import type { IngressDaemonSet } from '../../model/ingress-daemon-set.ts'
import { isClaimedForMaintenance } from './marks.ts'
import type { IngressNode } from './snapshot.ts'

/**
 * Others work on the node, and its pods are to make room. A cordon ends last in a maintenance, after the reboot, so it
 * tells when the pods may come back. A claim alone takes the node out by itself, and asks nothing of the pods. With a claim
 * a cordon counts also where cordons are ignored, or the drain of its owner would wait for the gate for ever.
 */
export function isInMaintenance({ spec }: IngressDaemonSet, n: IngressNode): boolean {
  const { node } = n
  if (node === undefined || n.isGoing) return false
  const isAnnounced = node.unschedulable || (node.lifecycle ?? []).length > 0
  return isAnnounced && (spec.onCordon !== 'Ignore' || isClaimedForMaintenance(n))
}
