import { isDeepStrictEqual } from 'node:util'
import { present } from '../../ground/model/present.ts'
import type { ApiObject } from './api-object.ts'
import {
  type ApiResource,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  NAMESPACES,
  NODES,
  PODS,
  PRIORITY_CLASSES,
  REPLICA_SETS,
  SERVICES,
  STATEFUL_SETS,
  VOLUME_CLAIMS,
  VOLUMES,
} from './api-resource.ts'
import { withDefaultTolerations } from './default-tolerations.ts'
import { isMap } from './merge-patch.ts'
import { podDefaults, podSpecDefaults } from './pod-defaults.ts'

type JsonMap = Readonly<Record<string, unknown>>

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

/** A quarter of the pods may be missing, and as many beside them. */
const QUARTER = { maxUnavailable: '25%', maxSurge: '25%' }

/** pkg/apis/apps/v1/defaults.go, pkg/apis/core/v1/defaults.go. */
const BY_RESOURCE: ReadonlyMap<ApiResource, (spec: JsonMap) => JsonMap> = new Map([
  [PODS, podDefaults],
  [
    DEPLOYMENTS,
    (spec) =>
      withTemplate({
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        ...spec,
        strategy: rolling(spec.strategy, QUARTER),
      }),
  ],
  [JOBS, (spec) => withTemplate(jobDefaults(spec))],
  [REPLICA_SETS, (spec) => withTemplate({ replicas: 1, ...spec })],
  [
    STATEFUL_SETS,
    (spec) =>
      withTemplate({
        replicas: 1,
        podManagementPolicy: 'OrderedReady',
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        ...spec,
        updateStrategy: rolling(spec.updateStrategy, { partition: 0 }),
      }),
  ],
  [
    DAEMON_SETS,
    (spec) =>
      withTemplate({
        revisionHistoryLimit: 10,
        ...spec,
        updateStrategy: rolling(spec.updateStrategy, { maxUnavailable: 1, maxSurge: 0 }),
      }),
  ],
  [
    SERVICES,
    (spec) => ({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ...spec,
      ...ports(spec),
    }),
  ],
  [VOLUMES, (spec) => ({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', ...spec })],
  [VOLUME_CLAIMS, (spec) => ({ volumeMode: 'Filesystem', ...spec })],
  // A Node always has a spec, if an empty one: a JSON patch may add a name to it.
  [NODES, (spec) => ({ ...(spec.podCIDR === undefined ? {} : { podCIDRs: [spec.podCIDR] }), ...spec })],
])

/** What the API adds to an object before it stores it, when it is made and when its spec is changed. */
export function withDefaults(resource: ApiResource, object: ApiObject, old?: ApiObject): ApiObject {
  const fill = BY_RESOURCE.get(resource)
  const { spec } = object
  if (resource === JOBS && old !== undefined && spec === old.spec) return labelled(object)
  if (fill === undefined || (old !== undefined && spec === old.spec)) return object
  const given = isMap(spec) ? spec : {}
  const filled = fill(given)
  const before = isMap(old?.spec) ? old.spec.template : undefined
  // A template that stays is the same object, so that nobody has to look into it.
  return {
    ...object,
    spec: before !== undefined && given.template === before ? { ...filled, template: before } : filled,
  }
}

/** A strategy that rolls, if nothing else is said. */
function rolling(strategy: unknown, limits: JsonMap): JsonMap {
  const own = isMap(strategy) ? strategy : {}
  const { type = 'RollingUpdate', rollingUpdate } = own
  if (type !== 'RollingUpdate') return { ...own, type }
  return { ...own, type, rollingUpdate: { ...limits, ...(isMap(rollingUpdate) ? rollingUpdate : {}) } }
}

/** One pod once, if neither number is said (pkg/apis/batch/v1/defaults.go). */
function jobDefaults(spec: JsonMap): JsonMap {
  const isOnce = spec.completions === undefined && spec.parallelism === undefined
  return {
    parallelism: 1,
    ...(isOnce ? { completions: 1 } : {}),
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    manualSelector: false,
    ...spec,
  }
}

/** A port leads to the port of the same number. */
function ports({ ports: given }: JsonMap): JsonMap {
  if (!Array.isArray(given)) return {}
  return {
    ports: given.filter(isMap).map((port) => ({ protocol: 'TCP', ...present({ targetPort: port.port }), ...port })),
  }
}

function withTemplate(spec: JsonMap): JsonMap {
  const { template } = spec
  if (!isMap(template) || !isMap(template.spec)) return spec
  return { ...spec, template: { ...template, spec: podSpecDefaults(template.spec) } }
}

/** What admission and the strategy of a kind put into a new object, beyond defaults. `isAsked`: a client made it. */
export function withAdmitted(resource: ApiResource, object: ApiObject, isAsked: boolean): ApiObject {
  switch (resource) {
    case PODS:
      return { ...object, spec: withDefaultTolerations(isMap(object.spec) ? object.spec : {}) }
    case DAEMON_SETS:
      return withAnnotations(object, { [TEMPLATE_GENERATION]: '1' })
    case PRIORITY_CLASSES:
      return { ...object, preemptionPolicy: object.preemptionPolicy ?? 'PreemptLowerPriority' }
    case NODES:
      return isAsked ? admittedNode(object) : object
    case NAMESPACES:
      return admittedNamespace(object)
    case JOBS:
      return admittedJob(object)
    default:
      return object
  }
}

/**
 * How often the template of a DaemonSet was changed; its pods bear it as a label. Clients cannot write it (pkg/registry/apps/daemonset/strategy.go,
 * PrepareForUpdate).
 */
export function withTemplateCounted(object: ApiObject, old: ApiObject): ApiObject {
  const before = templateGeneration(old)
  const isChanged = !isDeepStrictEqual(templateOf(object), templateOf(old))
  return withAnnotations(object, { [TEMPLATE_GENERATION]: isChanged ? String(Number(before) + 1) : before })
}

const templateOf = ({ spec }: ApiObject): unknown => (isMap(spec) ? spec.template : undefined)

export const templateGeneration = ({ metadata }: Pick<ApiObject, 'metadata'>): string =>
  metadata.annotations?.[TEMPLATE_GENERATION] ?? '1'

const withAnnotations = (object: ApiObject, annotations: Readonly<Record<string, string>>): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
})

/** No pod goes there before it is Ready (plugin TaintNodesByCondition). */
function admittedNode(node: ApiObject): ApiObject {
  const spec = isMap(node.spec) ? node.spec : {}
  const own = Array.isArray(spec.taints) ? spec.taints : []
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const isThere = own.some((each) => isMap(each) && each.key === taint.key && each.effect === taint.effect)
  return isThere ? node : { ...node, spec: { ...spec, taints: [...own, taint] } }
}

/** The own name of a namespace is always a label of it (pkg/registry/core/namespace/strategy.go, Canonicalize). */
export const withNameAsLabel = ({ metadata, ...object }: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...metadata, labels: { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name } },
})

/** Its controller empties it before it goes. */
function admittedNamespace(object: ApiObject): ApiObject {
  return {
    ...withNameAsLabel(object),
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
}

/** Its pods are found by its uid (pkg/registry/batch/job/strategy.go, generateSelector). */
function admittedJob(job: ApiObject): ApiObject {
  const spec = isMap(job.spec) ? job.spec : {}
  const template = isMap(spec.template) ? spec.template : {}
  if (spec.manualSelector === true || spec.selector !== undefined) return job
  const { name, uid } = job.metadata
  const metadata = isMap(template.metadata) ? template.metadata : {}
  const labels = {
    ...(isMap(metadata.labels) ? metadata.labels : {}),
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  }
  return labelled({
    ...job,
    spec: {
      ...spec,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  })
}

/** A Job without labels has those of its pods (pkg/apis/batch/v1/defaults.go). */
function labelled(job: ApiObject): ApiObject {
  const template = isMap(job.spec) && isMap(job.spec.template) ? job.spec.template : {}
  const { labels } = isMap(template.metadata) ? template.metadata : {}
  if (!isMap(labels) || Object.keys(job.metadata.labels ?? {}).length > 0) return job
  return { ...job, metadata: { ...job.metadata, labels: labels as Readonly<Record<string, string>> } }
}
