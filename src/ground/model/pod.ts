import type { PodPlacement } from './pod-placement.ts'
import type { PoliteMark } from './polite-mark.ts'

export interface PodOwner {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** How a pod that is being deleted ends. */
export interface PodEnding {
  /** ISO 8601: the end of its grace, by the clock of the API server. */
  readonly due: string
  /** 0: its containers have ended, or it was deleted by force. */
  readonly graceSeconds: number
  readonly finalizers: readonly string[]
}

/** What we use of a Pod, already parsed. */
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
  /** deletionTimestamp is set: the pod is on its way out. */
  readonly terminating: boolean
  /** How, where it is. */
  readonly ending?: PodEnding
  /** A static pod's image in the API (`kubernetes.io/config.mirror`). */
  readonly mirror: boolean
  /** The owner with `controller: true`. */
  readonly controller?: PodOwner
  /** Names of the PersistentVolumeClaims it mounts, in its own namespace; generic ephemeral volumes included. */
  readonly claims: readonly string[]
  readonly usesEmptyDir: boolean
  /** Container name → container id as the kubelet reported it; a new id means a new start. */
  readonly containerIds: Readonly<Record<string, string>>
  readonly createdAt: string
  /** Why it cannot be placed (PodScheduled=False). */
  readonly unschedulable?: Unschedulable
  /** Why a container of it does not start, in the kubelet's words. */
  readonly waiting?: string
  /** A polite drain has begun with it: its ReplicaSet lets it go. */
  readonly polite?: PoliteMark
  /** What people answered to the question about it, as it stands in `evenkeel.dev/blocked`. */
  readonly blockedAnswer?: string
  /** It says to the Cluster Autoscaler that it is not to be evicted. */
  readonly notSafeToEvict?: true
  /** What the scheduler goes by, as far as it can tie a pod to one node. */
  readonly nodeSelector: Readonly<Record<string, string>>
  /** All that the scheduler goes by. A plan alone reads it. */
  readonly placement?: PodPlacement
}

export interface Unschedulable {
  /** The scheduler's own words. */
  readonly message: string
  /** How many nodes it counted by their reasons. Absent: it says it in another form. */
  readonly nodes?: { readonly all: number; readonly cordoned: number; readonly others: number }
}

/** On a pod that may not leave: what people say is to be done with it. */
export const BLOCKED_ANNOTATION = 'evenkeel.dev/blocked'

/** By this annotation, with the value `false`, a pod says to the Cluster Autoscaler that it is not to be evicted. */
export const SAFE_TO_EVICT_ANNOTATION = 'cluster-autoscaler.kubernetes.io/safe-to-evict'

export const isFinished = (pod: Pod): boolean => pod.phase === 'Succeeded' || pod.phase === 'Failed'
export const isDaemonSetPod = (pod: Pod): boolean => pod.controller?.kind === 'DaemonSet'
