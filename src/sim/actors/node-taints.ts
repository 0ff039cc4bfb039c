import { type NodeObject, type NodeTaint, readiness } from './node-object.ts'

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'

/** The conditions of a node with a shortage, and their taints. */
const SHORTAGES: Readonly<Record<string, string>> = {
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  DiskPressure: 'node.kubernetes.io/disk-pressure',
  PIDPressure: 'node.kubernetes.io/pid-pressure',
  NetworkUnavailable: 'node.kubernetes.io/network-unavailable',
}

type Effect = 'NoSchedule' | 'NoExecute'

const MANAGED: Readonly<Record<Effect, readonly string[]>> = {
  NoSchedule: [NOT_READY, UNREACHABLE, UNSCHEDULABLE, ...Object.values(SHORTAGES)],
  NoExecute: [NOT_READY, UNREACHABLE],
}

/** Taint keys that the node lifecycle controller wants on a node (node_lifecycle_controller.go, doNoScheduleTaintingPass). */
function wantedKeys(node: NodeObject, effect: Effect): readonly string[] {
  const ready = readiness(node)
  const away = ready === 'False' ? [NOT_READY] : ready === 'Unknown' ? [UNREACHABLE] : []
  if (effect === 'NoExecute') return away
  const short = (node.status?.conditions ?? []).flatMap(({ type, status }) =>
    status === 'True' ? (SHORTAGES[type] ?? []) : [],
  )
  return [...away, ...short, ...(node.spec?.unschedulable === true ? [UNSCHEDULABLE] : [])]
}

/** All taints as they should be; undefined: no change is needed. Taints of others are left alone. */
export function mendedTaints(node: NodeObject, effect: Effect, now: string): readonly NodeTaint[] | undefined {
  const wanted = wantedKeys(node, effect)
  const taints = node.spec?.taints ?? []
  const isOurs = (taint: NodeTaint): boolean => taint.effect === effect && MANAGED[effect].includes(taint.key)
  const kept = taints.filter((taint) => !isOurs(taint) || wanted.includes(taint.key))
  const missing = wanted.filter((key) => !kept.some((taint) => taint.key === key && taint.effect === effect))
  if (kept.length === taints.length && missing.length === 0) return undefined
  return [...kept, ...missing.map((key) => ({ key, effect, timeAdded: now }))]
}

const evicts = ({ key, effect }: NodeTaint): boolean => effect === 'NoExecute' && MANAGED.NoExecute.includes(key)

/** Pods are evicted from the node because of its state. */
export function isEvicting(node: NodeObject): boolean {
  return node.spec?.taints?.some(evicts) === true
}

export function withoutEvictingTaints(node: NodeObject): NodeObject {
  return isEvicting(node) ? withTaints(node, node.spec?.taints?.filter((taint) => !evicts(taint)) ?? []) : node
}

/** The node with these taints; without any the field is absent. */
export function withTaints(node: NodeObject, taints: readonly NodeTaint[]): NodeObject {
  const { taints: _, ...spec } = node.spec ?? {}
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } }
}
