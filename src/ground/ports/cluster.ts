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

/** The kinds that can be listed and followed, and the shape each is parsed to. */
export interface KindMap {
  readonly nodes: Node
  readonly pods: Pod
  /** The same pods, each with its placement, which no watch keeps. */
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

/** Two Nodes of one name, UID and version are the same. */
export interface NodeVersion {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

export type PodVersion = ObjectRef & Pick<Pod, 'resourceVersion'>

/** Conditions of a Node's status, by type; null: it is removed. */
export interface ConditionsChange {
  readonly node: string
  /** WorldError where the Node is another one by now. */
  readonly uid: string
  readonly conditions: Readonly<
    Record<string, { readonly reason: string; readonly message: string; readonly at: string } | null>
  >
}

export interface PodChange {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string | null>>
}

/** What following a kind yields. `fresh`: nothing changed, but the stream is alive (bookmark). */
export type FollowEvent<T> =
  | { readonly type: 'listed'; readonly objects: readonly T[] }
  | { readonly type: 'applied'; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T }
  | { readonly type: 'fresh' }
  | { readonly type: 'broken'; readonly error: WorldError; readonly retryInMs: number }

/**
 * The Kubernetes API as far as Even Keel uses it. Every call rejects with WorldError (code KUBE_*), or with the
 * signal's reason. 404 on a read is absence: `undefined`. Retrying is the caller's, but for a 401, which is asked once more.
 */
export interface Cluster {
  /** Where the API server is asked. It may be behind a balancer. */
  readonly server: Endpoint
  /** Identity that survives restarts (uid of namespace kube-system) and the server's version. */
  identity(signal: AbortSignal): Promise<{ readonly uid: string; readonly version: string }>
  list<K extends Kind>(kind: K, signal: AbortSignal): Promise<readonly KindMap[K][]>
  /** Of all Nodes, and nothing else of them: a tenth of what a list weighs. */
  nodeVersions(signal: AbortSignal): Promise<readonly NodeVersion[]>
  /** Lists, then watches, for ever: 410, resets, 429 and 5xx are its own business. Settles only when aborted. */
  follow<K extends Kind>(kind: K, sink: (event: FollowEvent<KindMap[K]>) => void, signal: AbortSignal): Promise<void>
  /**
   * The Lease in kube-node-lease that a node's kubelet renews, as `follow` does a kind. What the first list shows is as of
   * the call or later. A silence that is longer than the time between two renewals is answered with another list.
   */
  followHeartbeat(node: string, sink: (event: FollowEvent<Lease>) => void, signal: AbortSignal): Promise<void>
  /** The pods that are placed on a node, as `follow` does a kind. What the first list shows is as of the call or later. */
  followPodsOf(node: string, sink: (event: FollowEvent<Pod>) => void, signal: AbortSignal): Promise<void>
  readNode(name: string, signal: AbortSignal): Promise<Node | undefined>
  /** WorldError KUBE_CONFLICT where a `test` failed. */
  patchNode(name: string, patch: JsonPatch, signal: AbortSignal): Promise<Node>
  /** Sets these conditions to True, or removes them; all other conditions and fields of the status stay. Takes the right to patch nodes/status. */
  setConditions(change: ConditionsChange, signal: AbortSignal): Promise<void>
  /** Never rejects for an answer of the API: each is a value. */
  evict(
    pod: ObjectRef & { readonly uid: string },
    options: { readonly graceSeconds?: number; readonly dryRun: boolean },
    signal: AbortSignal,
  ): Promise<EvictionAnswer>
  /** Deletes this very pod in its own grace, whatever its budget says. Never rejects for an answer of the API: each is a value. */
  deletePod(pod: ObjectRef & { readonly uid: string }, signal: AbortSignal): Promise<EvictionAnswer>
  /**
   * Overwrites labels of a pod that is still as it was read, and writes its mark or takes it off (`null`). WorldError KUBE_CONFLICT
   * where the pod is another one or was written to since.
   */
  relabelPod(pod: PodVersion, change: PodChange, signal: AbortSignal): Promise<void>
  readLease(ref: ObjectRef, signal: AbortSignal): Promise<Lease | undefined>
  /** Creates where `resourceVersion` is empty, else replaces under it. WorldError KUBE_CONFLICT where another write was faster. */
  writeLease(lease: Lease, signal: AbortSignal): Promise<Lease>
  /**
   * Resolves where the API would take a write of this Lease, and rejects as `writeLease` would, but never for another
   * writer: every check of the API is made, and nothing is stored.
   */
  tryLease(ref: ObjectRef, signal: AbortSignal): Promise<void>
  /** Which of these this identity is not allowed to do (SelfSubjectAccessReview). */
  forbidden(wanted: readonly Access[], signal: AbortSignal): Promise<readonly Access[]>
}
