import { GUARD_LABEL } from '../../../model/guard-keys.ts'
import type { Pod } from '../../../model/pod.ts'

/** The NodeGuard that has this pod on the node, in the pod's namespace; undefined for all other pods. */
export function guardOf({ labels }: Pod): string | undefined {
  const name = labels[GUARD_LABEL]
  return name === '' ? undefined : name
}
