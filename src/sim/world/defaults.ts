import type { ApiObject } from './api-object.ts'
import {
  type ApiResource,
  DAEMON_SETS,
  DEPLOYMENTS,
  NODES,
  PODS,
  REPLICA_SETS,
  SERVICES,
  STATEFUL_SETS,
} from './api-resource.ts'
import { withDefaultTolerations } from './default-tolerations.ts'
import { isMap } from './merge-patch.ts'

type JsonMap = Readonly<Record<string, unknown>>

/** Of a pod's own spec (pkg/apis/core/v1/defaults.go), as far as the embedded cluster reads them. */
const POD_SPEC = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
}

const QUARTER = { maxUnavailable: '25%', maxSurge: '25%' }

const BY_RESOURCE: ReadonlyMap<ApiResource, (spec: JsonMap) => JsonMap> = new Map([
  [PODS, (spec) => withDefaultTolerations({ ...POD_SPEC, ...spec })],
  [
    DEPLOYMENTS,
    (spec) =>
      withTemplate({
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: QUARTER },
        revisionHistoryLimit: 10,
        ...spec,
      }),
  ],
  [REPLICA_SETS, (spec) => withTemplate({ replicas: 1, ...spec })],
  [
    STATEFUL_SETS,
    (spec) =>
      withTemplate({
        replicas: 1,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        ...spec,
      }),
  ],
  [
    DAEMON_SETS,
    (spec) =>
      withTemplate({
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        ...spec,
      }),
  ],
  [SERVICES, (spec) => ({ type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', ...spec })],
  // A Node always has a spec, if an empty one: a JSON patch may add a name to it.
  [NODES, (spec) => spec],
])

/** What the API adds to a new object before it stores it. */
export function withDefaults(resource: ApiResource, object: ApiObject): ApiObject {
  const fill = BY_RESOURCE.get(resource)
  if (fill === undefined) return object
  const { spec } = object
  return { ...object, spec: fill(isMap(spec) ? spec : {}) }
}

function withTemplate(spec: JsonMap): JsonMap {
  const { template } = spec
  if (!isMap(template) || !isMap(template.spec)) return spec
  return { ...spec, template: { ...template, spec: { ...POD_SPEC, ...template.spec } } }
}
