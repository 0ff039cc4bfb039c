import { nodeSelectorMatches } from './node-affinity.ts'
import type { NodeObject } from './node-object.ts'
import { type PodObject, type Taint, tolerates } from './pod-object.ts'
import type { VolumeObject } from './volume-object.ts'

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/**
 * Why a node does not take a pod, in the words of the first plugin of the scheduler that refuses
 * (pkg/scheduler/framework/plugins: nodeunschedulable, tainttoleration, nodeaffinity, volumebinding); undefined: it does.
 */
export function nodeRefusal(
  node: NodeObject,
  { spec }: PodObject,
  volumes: readonly VolumeObject[],
): string | undefined {
  const { tolerations = [] } = spec
  if (node.spec?.unschedulable === true && !tolerates(tolerations, UNSCHEDULABLE)) return 'node(s) were unschedulable'
  const isTainted = node.spec?.taints?.some(
    (taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(tolerations, taint),
  )
  if (isTainted === true) return 'node(s) had untolerated taint(s)'
  if (!isWanted(node, spec)) return "node(s) didn't match Pod's node affinity/selector"
  const isFar = volumes.some(({ spec: { nodeAffinity } }) => {
    const required = nodeAffinity?.required
    return required !== undefined && !nodeSelectorMatches(required, node)
  })
  return isFar ? "node(s) didn't match PersistentVolume's node affinity" : undefined
}

/** By the pod's own node selector and required node affinity. */
export function isWanted(node: NodeObject, { nodeSelector = {}, affinity }: PodObject['spec']): boolean {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return (
    Object.entries(nodeSelector).every(([key, value]) => node.metadata.labels?.[key] === value) &&
    (required === undefined || nodeSelectorMatches(required, node))
  )
}
