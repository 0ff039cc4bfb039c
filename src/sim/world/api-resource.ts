/** What is done with a status in a new object: the kind's strategy decides (strategy.go of its registry). */
type StatusOnCreate = 'kept' | 'pending' | 'empty' | 'none'

/** What clients write in metadata. */
type WrittenMeta = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences'

const ALL_META: readonly WrittenMeta[] = ['labels', 'annotations', 'finalizers', 'ownerReferences']

/** How a kind is served. */
export interface ApiResource {
  /** Empty: the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly shortNames: readonly string[]
  readonly namespaced: boolean
  /** Has a status of its own, which only the subresource `status` writes. */
  readonly status?: StatusOnCreate
  /** Counts changes of its spec in `metadata.generation`; of a Deployment, of its annotations as well. */
  readonly counted: boolean | 'annotations'
  /** Beyond `status`. */
  readonly subresources: readonly string[]
  /** A replacement must name the resourceVersion that it replaces (strategy.go of its registry, AllowUnconditionalUpdate). */
  readonly conditionalOnly: boolean
  /** What a write of the status leaves as it is in the metadata (the same, PrepareForUpdate of its statusStrategy). */
  readonly keptByStatus: readonly WrittenMeta[]
  /** What it owns outlives it unless a deletion says otherwise (strategy.go of its registry, DefaultGarbageCollectionPolicy). */
  readonly orphans: boolean
  /** Fields that a field selector may name, beyond `metadata.name` and `metadata.namespace`. */
  readonly selectable: readonly string[]
}

type Named = Pick<ApiResource, 'plural' | 'kind'> & Partial<ApiResource>

const resource = (group: string, version: string, named: Named): ApiResource => ({
  shortNames: [],
  namespaced: true,
  counted: false,
  subresources: [],
  conditionalOnly: false,
  keptByStatus: [],
  orphans: false,
  selectable: [],
  ...named,
  group,
  version,
})

const core = (named: Named): ApiResource => resource('', 'v1', named)
const apps = (named: Named): ApiResource =>
  resource('apps', 'v1', { status: 'empty', counted: true, subresources: ['scale'], ...named })

export const NAMESPACES = core({
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
  shortNames: ['ns'],
  status: 'kept',
})
export const NODES = core({
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  shortNames: ['no'],
  status: 'kept',
  selectable: ['spec.unschedulable'],
})
export const PODS = core({
  plural: 'pods',
  kind: 'Pod',
  shortNames: ['po'],
  status: 'pending',
  counted: true,
  subresources: ['eviction'],
  keptByStatus: ['ownerReferences'],
  selectable: ['spec.nodeName', 'status.phase'],
})
export const SERVICES = core({ plural: 'services', kind: 'Service', shortNames: ['svc'], status: 'empty' })
export const CONFIG_MAPS = core({ plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] })
export const RESOURCE_QUOTAS = core({
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  shortNames: ['quota'],
  status: 'empty',
})
export const EVENTS = core({
  plural: 'events',
  kind: 'Event',
  shortNames: ['ev'],
  selectable: ['involvedObject.kind', 'involvedObject.name', 'involvedObject.namespace', 'involvedObject.uid'],
})
export const VOLUME_CLAIMS = core({
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  shortNames: ['pvc'],
  status: 'pending',
})
export const VOLUMES = core({
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
  shortNames: ['pv'],
  status: 'pending',
})
export const DEPLOYMENTS = apps({
  plural: 'deployments',
  kind: 'Deployment',
  shortNames: ['deploy'],
  counted: 'annotations',
  keptByStatus: ['labels'],
})
export const REPLICA_SETS = apps({ plural: 'replicasets', kind: 'ReplicaSet', shortNames: ['rs'] })
export const STATEFUL_SETS = apps({ plural: 'statefulsets', kind: 'StatefulSet', shortNames: ['sts'] })
export const DAEMON_SETS = apps({ plural: 'daemonsets', kind: 'DaemonSet', shortNames: ['ds'], subresources: [] })
export const JOBS = resource('batch', 'v1', {
  plural: 'jobs',
  kind: 'Job',
  status: 'empty',
  counted: true,
  orphans: true,
})
export const CONTROLLER_REVISIONS = resource('apps', 'v1', {
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
})
export const DISRUPTION_BUDGETS = resource('policy', 'v1', {
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  shortNames: ['pdb'],
  status: 'empty',
  counted: true,
  conditionalOnly: true,
})
export const LEASES = resource('coordination.k8s.io', 'v1', { plural: 'leases', kind: 'Lease', conditionalOnly: true })
export const ENDPOINT_SLICES = resource('discovery.k8s.io', 'v1', {
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  counted: true,
})
export const VOLUME_ATTACHMENTS = resource('storage.k8s.io', 'v1', {
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
  status: 'empty',
  conditionalOnly: true,
  keptByStatus: ALL_META,
})

const rbac = (named: Named): ApiResource => resource('rbac.authorization.k8s.io', 'v1', named)

/** They are stored and shown, and grant nothing: whoever asks has all rights. */
const ACCOUNTS_AND_ROLES: readonly ApiResource[] = [
  core({ plural: 'serviceaccounts', kind: 'ServiceAccount', shortNames: ['sa'] }),
  rbac({ plural: 'roles', kind: 'Role' }),
  rbac({ plural: 'rolebindings', kind: 'RoleBinding' }),
  rbac({ plural: 'clusterroles', kind: 'ClusterRole', namespaced: false }),
  rbac({ plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false }),
]

export const PRIORITY_CLASSES = resource('scheduling.k8s.io', 'v1', {
  plural: 'priorityclasses',
  counted: true,
  kind: 'PriorityClass',
  namespaced: false,
  shortNames: ['pc'],
})

/** A custom resource, as a CustomResourceDefinition with the subresource `status` has it served. */
const custom = (named: Named): ApiResource =>
  resource('evenkeel.dev', 'v1alpha1', {
    status: 'none',
    counted: true,
    conditionalOnly: true,
    keptByStatus: ALL_META,
    ...named,
  })

/** A kind that a CustomResourceDefinition brings. */
export const isCustom = ({ status }: ApiResource): boolean => status === 'none'

export const NODE_GUARDS = custom({ plural: 'nodeguards', kind: 'NodeGuard', shortNames: ['ng'] })

export const ROLLS = custom({ plural: 'rolls', kind: 'Roll', shortNames: [] })

export const ROLL_SCHEDULES = custom({ plural: 'rollschedules', kind: 'RollSchedule', shortNames: [] })

export const INGRESS_DAEMON_SETS = custom({
  plural: 'ingressdaemonsets',
  kind: 'IngressDaemonSet',
  shortNames: ['ids'],
})

/** The same kind in the group of the controller that came first. */
const FIRST_INGRESS_DAEMON_SETS: ApiResource = {
  ...INGRESS_DAEMON_SETS,
  group: 'ingressdaemonsets.mumoshu.github.io',
  shortNames: [],
}

/** Every kind that the world knows. */
export const API_RESOURCES: readonly ApiResource[] = [
  NAMESPACES,
  NODES,
  PODS,
  SERVICES,
  CONFIG_MAPS,
  EVENTS,
  VOLUME_CLAIMS,
  VOLUMES,
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
  DAEMON_SETS,
  JOBS,
  DISRUPTION_BUDGETS,
  LEASES,
  ENDPOINT_SLICES,
  VOLUME_ATTACHMENTS,
  PRIORITY_CLASSES,
  NODE_GUARDS,
  ROLLS,
  ROLL_SCHEDULES,
  CONTROLLER_REVISIONS,
  INGRESS_DAEMON_SETS,
  FIRST_INGRESS_DAEMON_SETS,
  RESOURCE_QUOTAS,
  ...ACCOUNTS_AND_ROLES,
]

/** `pods`, `deployments.apps`: as RBAC, events and messages of the API call a kind. */
export const resourceName = ({ plural, group }: ApiResource): string => (group === '' ? plural : `${plural}.${group}`)

/** `v1`, `apps/v1`: as objects carry it. */
export const apiVersionOf = ({ group, version }: ApiResource): string =>
  group === '' ? version : `${group}/${version}`
