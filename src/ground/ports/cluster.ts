import type { Access } from '../model/access.ts'
import type { DisruptionBudget } from '../model/disruption-budget.ts'
import type { Endpoint } from '../model/endpoint.ts'
import type { EvictionAnswer } from '../model/eviction.ts'
import type { JsonPatch } from '../model/json-patch.ts'
import type { Lease } from '../model/lease.ts'
import type { Node } from '../model/node.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Pod } from '../model/pod.ts'
import type { EndpointSlice, Service } from '../model/service.ts'
import type { PersistentVolume, VolumeAttachment, VolumeClaim } from '../model/volume.ts'
import type { Workload } from '../model/workload.ts'
import type { WorldError } from '../model/world-error.ts'

/** The kinds that can be listed and followed, and the parsed form of each. */
export interface KindMap {
  readonly nodes: Node
  readonly pods: Pod
  /** The same pods, each with its placement, which watches do not have. */
  readonly placedpods: Pod
  readonly disruptionbudgets: DisruptionBudget
  readonly deployments: Workload
  readonly replicasets: Workload
  readonly statefulsets: Workload
  readonly daemonsets: Workload
  readonly volumeattachments: VolumeAttachment
  readonly volumeclaims: VolumeClaim
  readonly persistentvolumes: PersistentVolume
  readonly services: Service
  readonly endpointslices: EndpointSlice
}
export type Kind = keyof KindMap

/** Two Nodes with the same name, UID and version are equal. */
export interface NodeVersion {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

export type PodVersion = ObjectRef & Pick<Pod, 'resourceVersion'>

/** Conditions of a Node's status, by type; null: the condition is removed. */
export interface ConditionsChange {
  readonly node: string
  /** WorldError where the Node is another one now. */
  readonly uid: string
  /** WorldError KUBE_CONFLICT if the Node has another version. Absent: the version is not compared. */
  readonly resourceVersion?: string
  readonly conditions: Readonly<Record<string, ConditionToSet | null>>
}

interface ConditionToSet {
  /** Absent: True. */
  readonly status?: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly at: string
  /** The Node shows this status already: when it changed stays as it is. */
  readonly isSameStatus?: true
}

export interface PodChange {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string | null>>
}

/** The events of following a kind. `fresh`: nothing changed, but the stream is alive (bookmark). */
export type FollowEvent<T> =
  | { readonly type: 'listed'; readonly objects: readonly T[] }
  | { readonly type: 'applied'; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T }
  | { readonly type: 'fresh' }
  | { readonly type: 'broken'; readonly error: WorldError; readonly retryInMs: number }

/**
 * The Kubernetes API as far as Even Keel uses it. Every call rejects with WorldError (code KUBE_*), or with the signal's
 * reason. The API server's own 404 on a read is absence: `undefined`; any other 404 is KUBE_NO_PATH. Retries are up to
 * the caller, except after a 401, for which the call is made once more.
 */
export interface Cluster {
  /** The address of the API server. It may be behind a balancer. */
  readonly server: Endpoint
  /** An identity that survives restarts (uid of namespace kube-system) and the server's version. */
  identity(signal: AbortSignal): Promise<{ readonly uid: string; readonly version: string }>
  list<K extends Kind>(kind: K, signal: AbortSignal): Promise<readonly KindMap[K][]>
  /** The versions of all Nodes, and no other field: a tenth of the size of a list. */
  nodeVersions(signal: AbortSignal): Promise<readonly NodeVersion[]>
  /** Lists, then watches, for ever; handles 410, resets, 429 and 5xx itself. Settles only when aborted. */
  follow<K extends Kind>(kind: K, sink: (event: FollowEvent<KindMap[K]>) => void, signal: AbortSignal): Promise<void>
  /**
   * Follows the Lease in kube-node-lease that a node's kubelet renews. The first list is as of the call or later. After a
   * silence that is longer than the time between two renewals there is another list.
   */
  followHeartbeat(node: string, sink: (event: FollowEvent<Lease>) => void, signal: AbortSignal): Promise<void>
  /** Follows the pods that are placed on a node. The first list is as of the call or later. */
  followPodsOf(node: string, sink: (event: FollowEvent<Pod>) => void, signal: AbortSignal): Promise<void>
  readNode(name: string, signal: AbortSignal): Promise<Node | undefined>
  /** WorldError KUBE_CONFLICT where a `test` failed. */
  patchNode(name: string, patch: JsonPatch, signal: AbortSignal): Promise<Node>
  /**
   * Sets these conditions, or removes them; all other conditions and fields of the status stay. Needs the right to patch
   * nodes/status.
   */
  setConditions(change: ConditionsChange, signal: AbortSignal): Promise<void>
  /** Never rejects for an answer of the API: each is a value. */
  evict(
    pod: ObjectRef & { readonly uid: string },
    options: { readonly graceSeconds?: number; readonly dryRun: boolean },
    signal: AbortSignal,
  ): Promise<EvictionAnswer>
  /**
   * Deletes exactly this pod with its own grace, whatever its budget says. Never rejects for an answer of the API: each is a
   * value.
   */
  deletePod(pod: ObjectRef & { readonly uid: string }, signal: AbortSignal): Promise<EvictionAnswer>
  /**
   * Overwrites labels of a pod that has not changed since it was read, and writes or removes (`null`) its mark. WorldError
   * KUBE_CONFLICT where the pod has changed, or is another one.
   */
  relabelPod(pod: PodVersion, change: PodChange, signal: AbortSignal): Promise<void>
  readLease(ref: ObjectRef, signal: AbortSignal): Promise<Lease | undefined>
  /**
   * Creates where `resourceVersion` is empty, otherwise replaces that version. WorldError KUBE_CONFLICT where another write was
   * faster.
   */
  writeLease(lease: Lease, signal: AbortSignal): Promise<Lease>
  /**
   * Resolves where the API would take a write of this Lease, and rejects like `writeLease`, but never because of another
   * writer: the API makes every check, and stores nothing.
   */
  tryLease(ref: ObjectRef, signal: AbortSignal): Promise<void>
  /** Which of these rights this identity does not have (SelfSubjectAccessReview). */
  forbidden(wanted: readonly Access[], signal: AbortSignal): Promise<readonly Access[]>
}
