import { nodeSelectorMatches } from '../actors/node-affinity.ts'
import type { NodeObject } from '../actors/node-object.ts'
import { type PodObject, type Taint, tolerates } from '../actors/pod-object.ts'
import { type VolumeObject, volumesOf } from '../actors/volume-object.ts'
import type { World } from '../world/world.ts'
import { finalRefusal, type NodeRule } from './refusal.ts'

export const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/** By what the node is, in the words of nodeunschedulable, tainttoleration and nodeaffinity. */
export const nodeRule =
  ({ spec }: PodObject): NodeRule =>
  (node) => {
    const { tolerations = [] } = spec
    if (node.spec?.unschedulable === true && !tolerates(tolerations, UNSCHEDULABLE))
      return finalRefusal('NodeUnschedulable', 'node(s) were unschedulable')
    if (isRepelled(node, spec)) return finalRefusal('TaintToleration', 'node(s) had untolerated taint(s)')
    if (!isWanted(node, spec)) return finalRefusal('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")
    return undefined
  }

/** By where the volumes of the pod can be used (volumebinding/binder.go, FindPodVolumes); undefined: it has none. */
export function volumeRule(world: World, pod: PodObject): NodeRule | undefined {
  const volumes = volumesOf(world, pod)
  if (volumes.length === 0) return undefined
  const reason = "node(s) didn't match PersistentVolume's node affinity"
  return (node) => (volumes.some((volume) => isFar(volume, node)) ? finalRefusal('VolumeBinding', reason) : undefined)
}

function isFar({ spec: { nodeAffinity } }: VolumeObject, node: NodeObject): boolean {
  const required = nodeAffinity?.required
  return required !== undefined && !nodeSelectorMatches(required, node)
}

/** One of its taints keeps the pod away. */
export const isRepelled = (node: NodeObject, { tolerations = [] }: PodObject['spec']): boolean =>
  node.spec?.taints?.some((taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(tolerations, taint)) === true

/** By the pod's own node selector and required node affinity. */
export function isWanted(node: NodeObject, { nodeSelector = {}, affinity }: PodObject['spec']): boolean {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return (
    Object.entries(nodeSelector).every(([key, value]) => node.metadata.labels?.[key] === value) &&
    (required === undefined || nodeSelectorMatches(required, node))
  )
}
