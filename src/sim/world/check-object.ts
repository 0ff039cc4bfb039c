import { isDeepStrictEqual } from 'node:util'
import { invalid } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import {
  type ApiResource,
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  EVENTS,
  isCustom,
  JOBS,
  LEASES,
  NODES,
  PODS,
  PRIORITY_CLASSES,
  REPLICA_SETS,
  RESOURCE_QUOTAS,
  SERVICES,
  STATEFUL_SETS,
  VOLUME_CLAIMS,
  VOLUMES,
} from './api-resource.ts'
import type { Cause } from './checks/cause.ts'
import { checkMetadata, checkMetadataChange, nameCauses } from './checks/check-metadata.ts'
import {
  checkBudget,
  checkClaim,
  checkClaimChange,
  checkConfigMap,
  checkConfigMapChange,
  checkEvent,
  checkLease,
  checkNode,
  checkPriorityClass,
  checkPriorityClassChange,
  checkQuota,
  checkService,
  checkVolume,
} from './checks/check-others.ts'
import { checkPodChange, checkPodSpec } from './checks/check-pod.ts'
import { checkJob, checkJobChange, checkWorkload, checkWorkloadChange } from './checks/check-workload.ts'
import { isMap } from './merge-patch.ts'

type Check = (object: ApiObject) => readonly Cause[]
type ChangeCheck = (next: ApiObject, old: ApiObject) => readonly Cause[]

const specOf = ({ spec }: ApiObject): Readonly<Record<string, unknown>> => (isMap(spec) ? spec : {})

const WORKLOADS = [DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS]

const CHECKS: ReadonlyMap<ApiResource, Check> = new Map<ApiResource, Check>([
  [NODES, (object) => checkNode(specOf(object))],
  [PODS, (object) => checkPodSpec(specOf(object), 'spec')],
  [CONFIG_MAPS, checkConfigMap],
  [LEASES, (object) => checkLease(specOf(object))],
  [DISRUPTION_BUDGETS, (object) => checkBudget(specOf(object))],
  [EVENTS, checkEvent],
  [JOBS, (object) => checkJob(specOf(object))],
  [VOLUME_CLAIMS, (object) => checkClaim(specOf(object))],
  [VOLUMES, (object) => checkVolume(specOf(object))],
  [RESOURCE_QUOTAS, (object) => checkQuota(specOf(object))],
  [SERVICES, (object) => checkService(specOf(object))],
  [PRIORITY_CLASSES, checkPriorityClass],
  ...WORKLOADS.map((resource) => [resource, (object: ApiObject) => checkWorkload(resource, specOf(object))] as const),
])

const CHANGE_CHECKS: ReadonlyMap<ApiResource, ChangeCheck> = new Map<ApiResource, ChangeCheck>([
  [PODS, (next, old) => checkPodChange(specOf(next), specOf(old))],
  [CONFIG_MAPS, checkConfigMapChange],
  [JOBS, checkJobChange],
  [VOLUME_CLAIMS, checkClaimChange],
  [PRIORITY_CLASSES, checkPriorityClassChange],
  ...WORKLOADS.map(
    (resource) => [resource, (next: ApiObject, old: ApiObject) => checkWorkloadChange(resource, next, old)] as const,
  ),
])

/** Kinds whose own validation does not look at the metadata: only what holds for all kinds is said of it. */
export const isBare = (resource: ApiResource): boolean => resource === EVENTS || resource === DISRUPTION_BUDGETS

const areFinalizersFree = (resource: ApiResource): boolean =>
  isBare(resource) || resource === LEASES || isCustom(resource)

/** What the validation of a kind says of a new object, or of a change. Throws ApiFailure 422 with each cause. */
export function checkObject(resource: ApiResource, object: ApiObject, old?: ApiObject): void {
  const { metadata } = object
  const isSame = old !== undefined && isDeepStrictEqual({ ...object, metadata }, { ...old, metadata })
  const own = isSame ? [] : (CHECKS.get(resource)?.(object) ?? [])
  // Of a new object, what is common to all kinds is looked at last (apiserver, registry/rest/create.go, BeforeCreate).
  const isRefused = isBare(resource) && old === undefined && own.length > 0
  const isMetaSame = isRefused || isDeepStrictEqual(metadata, old?.metadata)
  const causes = [
    ...(isMetaSame || isBare(resource) ? [] : nameCauses(metadata.name)),
    ...(isMetaSame ? [] : checkMetadata(metadata, areFinalizersFree(resource))),
    ...(old === undefined ? [] : checkMetadataChange(metadata, old.metadata)),
    ...own,
    ...(isSame || old === undefined ? [] : (CHANGE_CHECKS.get(resource)?.(object, old) ?? [])),
  ]
  if (causes.length > 0) throw invalid(resource, metadata.name, causes)
}
