import type { Node } from '../../ground/model/node.ts'

/** A mark that a roll sets on a Node, so that a program there fails its health check. */
export interface NodeMark {
  readonly kind: 'taint' | 'label' | 'annotation'
  readonly key: string
  /** Another value belongs to another owner. */
  readonly value: string
}

/**
 * The effect of a mark that is a taint. kube-proxy goes by the key alone (k8s.io/kubernetes,
 * pkg/proxy/healthcheck/proxy_health.go). A stronger effect would keep away pods that the node must have again before it is
 * attached.
 */
export const MARK_EFFECT = 'PreferNoSchedule'

/** In words, such as `label example.com/out`. */
export const markText = ({ kind, key, value }: NodeMark): string => `${kind} ${key}${value === '' ? '' : `=${value}`}`

/** Whether the Node bears the mark: set by this roll, or by another owner with another value or effect. */
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
