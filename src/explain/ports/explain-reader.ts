import type { Node } from '../../ground/model/node.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import type { Kind, KindMap } from '../../ground/ports/cluster.ts'
import type { Readiness, SeenPod } from '../model/seen-pod.ts'

/** Reads of a cluster, only of what is needed. Each call rejects with WorldError (code KUBE_*), or with the signal's reason. */
export interface ExplainReader {
  /** Undefined: there is no such Node. */
  node(name: string, signal: AbortSignal): Promise<{ readonly node: Node; readonly readiness?: Readiness } | undefined>
  podsOn(node: string, signal: AbortSignal): Promise<readonly SeenPod[]>
  /** Undefined: there is no such pod. */
  pod(ref: ObjectRef, signal: AbortSignal): Promise<SeenPod | undefined>
  /** The objects of one namespace; absent: of all, or of a kind without namespaces. */
  list<K extends Kind>(kind: K, namespace: string | undefined, signal: AbortSignal): Promise<readonly KindMap[K][]>
}
