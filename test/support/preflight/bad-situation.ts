import type { InstanceInspection } from '../../../src/service/model/balancer-inspection.ts'

/** One thing that is wrong with a cluster before a roll, and what a plan has to say of it. */
export interface BadSituation {
  readonly title: string
  /** Beside the nodes: pods before the controllers that adopt them. */
  readonly objects?: readonly ApiManifest[]
  /** Three nodes that nothing is wrong with, unless told otherwise. */
  readonly nodes?: readonly ApiManifest[]
  /** Merged over `spec` of the roll.yaml, which rolls all nodes. */
  readonly spec?: Readonly<Record<string, unknown>>
  /** What the balancer instances say; absent: one instance with a server for each node. */
  readonly inspections?: readonly InstanceInspection[]
  readonly code: string
  readonly says: string
  /** A part of what is to be done about it. */
  readonly fix: string
  readonly exit: 0 | 2 | 3
  /** What `evenkeel explain` says of it; a text: why that is no matter of a node or a pod. */
  readonly explain: ToldByExplain | string
}

/** Where a person asks, and what has to be named there. */
export interface ToldByExplain {
  /** `node n1`, `pod default/cart-0`; `replacement`: the pod that came in the place of an evicted one, and has no node. */
  readonly of: string
  /** Pods of `default` that a drain evicts first: then what was forecast is the case. */
  readonly evicted?: readonly string[]
  readonly code: string
  readonly says: RegExp
  /** It holds up nothing; else it is the cause. */
  readonly isFact?: true
  /** The scheduler of the embedded cluster knows neither resources, host ports nor spreads. */
  readonly onRealAlone?: true
}

/** An object as `kubectl apply` takes it; its status is written after it is made. */
export interface ApiManifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

const PATHS: Readonly<Record<string, string>> = {
  Node: '/api/v1/nodes',
  Pod: '/api/v1/namespaces/NS/pods',
  PersistentVolume: '/api/v1/persistentvolumes',
  PersistentVolumeClaim: '/api/v1/namespaces/NS/persistentvolumeclaims',
  ReplicaSet: '/apis/apps/v1/namespaces/NS/replicasets',
  DaemonSet: '/apis/apps/v1/namespaces/NS/daemonsets',
  PodDisruptionBudget: '/apis/policy/v1/namespaces/NS/poddisruptionbudgets',
}

/** Where its kind is listed and made. */
export function collectionOf({ kind, metadata }: Pick<ApiManifest, 'kind' | 'metadata'>): string {
  const path = PATHS[kind]
  if (path === undefined) throw new Error(`no situation has a ${kind}`)
  return path.replace('NS', metadata.namespace ?? 'default')
}
