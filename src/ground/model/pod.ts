import type { PodPlacement } from './pod-placement.ts'
import type { PoliteMark } from './polite-mark.ts'

export interface PodOwner {
  readonly kind: string
  readonly name: string
  readonly uid: string
  /** Where another group than apps/v1 has a kind of the same name. */
  readonly apiVersion?: string
}

/** The kinds of apps/v1 that start pods. */
export const APPS_KINDS: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'])

/** How a pod that is being deleted ends. */
export interface PodEnding {
  /** ISO 8601: the end of its grace, by the clock of the API server. */
  readonly due: string
  /** 0: its containers have ended, or it was deleted by force. */
  readonly graceSeconds: number
  readonly finalizers: readonly string[]
}

/** The fields of a Pod that are used, parsed. */
export interface Pod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** Absent while no scheduler has placed it. */
  readonly nodeName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  readonly ready: boolean
  /** deletionTimestamp is set: the pod is being deleted. */
  readonly terminating: boolean
  /** How the pod ends, if it is being deleted. */
  readonly ending?: PodEnding
  /** A static pod's image in the API (`kubernetes.io/config.mirror`). */
  readonly mirror: boolean
  /** The owner with `controller: true`. */
  readonly controller?: PodOwner
  /** Names of the PersistentVolumeClaims it mounts, in its own namespace; generic ephemeral volumes included. */
  readonly claims: readonly string[]
  readonly usesEmptyDir: boolean
  /** It runs until its work is done, as the pod of a Job does (`restartPolicy` is not `Always`). A drain waits for no replacement of it. */
  readonly runsToEnd?: true
  /** Container name → container id as the kubelet reported it; a new id means a new start. */
  readonly containerIds: Readonly<Record<string, string>>
  readonly createdAt: string
  /** Why it cannot be placed (PodScheduled=False). */
  readonly unschedulable?: Unschedulable
  /** Why one of its containers does not start, in the kubelet's words. */
  readonly waiting?: string
  /** A polite drain has begun with the pod: its ReplicaSet was made to release it. */
  readonly polite?: PoliteMark
  /** The answer of people to the question about the pod, in `evenkeel.dev/blocked`. */
  readonly blockedAnswer?: string
  /** The annotations that say that it is not to be evicted. Absent: none does. */
  readonly notSafeToEvict?: readonly string[]
  /** What the scheduler uses, as far as it can tie a pod to one node: labels of the node, and its name with the key `metadata.name`. */
  readonly nodeSelector: Readonly<Record<string, string>>
  /** All that the scheduler uses. Only a plan reads it. */
  readonly placement?: PodPlacement
}

export interface Unschedulable {
  /** The scheduler's own words. */
  readonly message: string
  /**
   * How many nodes the scheduler counted, by reason. `bound`: for what they or the pod are, such as labels, volumes, taints. `byPods`: for
   * pods that are on them, such as those of an anti-affinity. `others`: for what time may cure, such as room, or a pod of an affinity that
   * is not there yet. Absent: its message has another form.
   */
  readonly nodes?: {
    readonly all: number
    readonly cordoned: number
    readonly bound: number
    readonly byPods: number
    readonly others: number
  }
}

/** On a pod that may not leave: the answer of people about it. */
export const BLOCKED_ANNOTATION = 'evenkeel.dev/blocked'

/** Annotations by which a pod tells the Cluster Autoscaler, and Karpenter of any version, not to evict it. */
export const NOT_SAFE_TO_EVICT: Readonly<Record<string, string>> = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
  'karpenter.sh/do-not-evict': 'true',
}

export const isFinished = (pod: Pod): boolean => pod.phase === 'Succeeded' || pod.phase === 'Failed'
const KNOWN_OWNERS: ReadonlySet<string> = new Set([...APPS_KINDS, 'Job', 'ReplicationController', 'Node'])

/** An object of another program than the controllers of Kubernetes. */
export const isOfOperator = ({ kind, apiVersion }: PodOwner): boolean =>
  apiVersion !== undefined || !KNOWN_OWNERS.has(kind)

export const isDaemonSetPod = (pod: Pod): boolean => pod.controller?.kind === 'DaemonSet'
