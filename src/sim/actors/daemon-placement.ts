import { isWanted } from '../scheduler/node-rules.ts'
import type { NodeObject } from './node-object.ts'
import type { PodTemplate } from './owned-pods.ts'
import { type PodObject, type Toleration, tolerates } from './pod-object.ts'

const exists = (name: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect,
})

/** The tolerations of every pod of a DaemonSet (daemonset_util.go, AddOrUpdateDaemonPodTolerations). */
const TOLERATIONS: readonly Toleration[] = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
]

export function daemonTolerations({ tolerations = [], hostNetwork }: PodObject['spec']): readonly Toleration[] {
  const ours = hostNetwork === true ? [...TOLERATIONS, exists('network-unavailable', 'NoSchedule')] : TOLERATIONS
  const own = tolerations.filter((each) => !ours.some(({ key, effect }) => key === each.key && effect === each.effect))
  return [...own, ...ours]
}

export interface DaemonPlacement {
  /** A pod is made there if there is none. */
  readonly shouldRun: boolean
  /** A pod that is already there may stay: a taint that only keeps new pods away does not evict it. */
  readonly shouldStay: boolean
}

/** daemon_controller.go, NodeShouldRunDaemonPod. */
export function daemonPlacement(node: NodeObject, { spec }: PodTemplate): DaemonPlacement {
  const isMeant = (spec.nodeName ?? node.metadata.name) === node.metadata.name && isWanted(node, spec)
  if (!isMeant) return { shouldRun: false, shouldStay: false }
  const tolerations = daemonTolerations(spec)
  const hostile = (node.spec?.taints ?? []).filter((taint) => !tolerates(tolerations, taint))
  return {
    shouldRun: hostile.every(({ effect }) => effect === 'PreferNoSchedule'),
    shouldStay: hostile.every(({ effect }) => effect !== 'NoExecute'),
  }
}

/**
 * Adds to the pod's template a required node affinity to the node by name: the scheduler binds the pod (daemonset_util.go,
 * ReplaceDaemonSetPodNodeNameNodeAffinity).
 */
export function affinityTo(node: string, { affinity }: PodObject['spec']): NonNullable<PodObject['spec']['affinity']> {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  const nodeSelectorTerms = terms === undefined ? [{ matchFields }] : terms.map((term) => ({ ...term, matchFields }))
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
    },
  }
}

/** The node that a pod is on, or is made for. */
export function targetOf({ spec }: PodObject): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName
  const [term] = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return term?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0]
}
