/** How a kind is reached. */
interface KindPath {
  readonly prefix: string
  readonly plural: string
  readonly namespaced: boolean
}

const core = (plural: string, namespaced = true): KindPath => ({ prefix: '/api/v1', plural, namespaced })
const group = (name: string, plural: string, namespaced = true): KindPath => ({
  prefix: `/apis/${name}`,
  plural,
  namespaced,
})

/** Every kind that sequences make or that comes of what they make. */
export const KINDS = {
  Namespace: core('namespaces', false),
  Node: core('nodes', false),
  PersistentVolume: core('persistentvolumes', false),
  PriorityClass: group('scheduling.k8s.io/v1', 'priorityclasses', false),
  ConfigMap: core('configmaps'),
  Event: core('events'),
  Pod: core('pods'),
  PersistentVolumeClaim: core('persistentvolumeclaims'),
  ResourceQuota: core('resourcequotas'),
  Service: core('services'),
  Lease: group('coordination.k8s.io/v1', 'leases'),
  Deployment: group('apps/v1', 'deployments'),
  ReplicaSet: group('apps/v1', 'replicasets'),
  StatefulSet: group('apps/v1', 'statefulsets'),
  DaemonSet: group('apps/v1', 'daemonsets'),
  Job: group('batch/v1', 'jobs'),
  PodDisruptionBudget: group('policy/v1', 'poddisruptionbudgets'),
  NodeGuard: group('evenkeel.dev/v1alpha1', 'nodeguards'),
  IngressDaemonSet: group('evenkeel.dev/v1alpha1', 'ingressdaemonsets'),
} satisfies Readonly<Record<string, KindPath>>

export type KindName = keyof typeof KINDS

export function collectionPath(kind: KindName, namespace: string): string {
  const { prefix, plural, namespaced } = KINDS[kind]
  return namespaced ? `${prefix}/namespaces/${namespace}/${plural}` : `${prefix}/${plural}`
}

/** Sets the objects of one sequence apart where a kind has no namespaces. */
export const WORLD_LABEL = 'test.local/world'

/** The same, with a selector for what is not in the namespace anyway. */
export function listPath(kind: KindName, world: string): string {
  const path = collectionPath(kind, world)
  return KINDS[kind].namespaced ? path : `${path}?labelSelector=${encodeURIComponent(`${WORLD_LABEL}=${world}`)}`
}

export const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`
