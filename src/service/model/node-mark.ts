import type { Node } from '../../ground/model/node.ts'

/** What a roll sets on a Node for a program there that then fails its health check. */
export interface NodeMark {
  readonly kind: 'taint' | 'label' | 'annotation'
  readonly key: string
  /** Another value in its place is another owner's. */
  readonly value: string
}

/**
 * Of a mark that is a taint. kube-proxy goes by the key alone (k8s.io/kubernetes, pkg/proxy/healthcheck/proxy_health.go). An effect
 * that keeps pods away would keep those away that the node must have again before it is attached.
 */
export const MARK_EFFECT = 'PreferNoSchedule'

/** Whether the Node bears the mark: as it is set here, or by another owner with another value or effect. */
export function markOn(
  { taints, labels, annotations }: Node,
  { kind, key, value }: NodeMark,
): 'absent' | 'ours' | 'others' {
  if (kind === 'taint') {
    const same = taints.filter((taint) => taint.key === key)
    if (same.length === 0) return 'absent'
    return same.every((taint) => taint.value === value && taint.effect === MARK_EFFECT) ? 'ours' : 'others'
  }
  const values = kind === 'label' ? labels : annotations
  if (!Object.hasOwn(values, key)) return 'absent'
  return values[key] === value ? 'ours' : 'others'
}
