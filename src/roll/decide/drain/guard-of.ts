import { GUARD_LABEL } from '../../../ground/model/guard-keys.ts'
import { INGRESS_UID_LABEL } from '../../../ground/model/ingress-keys.ts'
import type { Pod } from '../../../ground/model/pod.ts'

/** The NodeGuard that has this pod on the node, in the pod's namespace; undefined for all other pods. */
export function guardOf({ labels }: Pod): string | undefined {
  const name = labels[GUARD_LABEL]
  return name === '' ? undefined : name
}

/**
 * The pod of a NodeGuard or of an IngressDaemonSet. It is for its node alone, and its budget is shut on purpose until the
 * controller releases the node.
 */
export const isGated = (pod: Pod): boolean => guardOf(pod) !== undefined || INGRESS_UID_LABEL in pod.labels
