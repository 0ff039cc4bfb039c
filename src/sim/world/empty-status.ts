import {
  type ApiResource,
  DAEMON_SETS,
  DISRUPTION_BUDGETS,
  REPLICA_SETS,
  STATEFUL_SETS,
  VOLUME_ATTACHMENTS,
} from './api-resource.ts'

const BY_RESOURCE: ReadonlyMap<ApiResource, object> = new Map<ApiResource, object>([
  [REPLICA_SETS, { replicas: 0 }],
  [STATEFUL_SETS, { replicas: 0, availableReplicas: 0 }],
  [DAEMON_SETS, { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }],
  [DISRUPTION_BUDGETS, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }],
  [VOLUME_ATTACHMENTS, { attached: false }],
])

/** The status of a new object: nothing but the numbers that its type cannot leave out (k8s.io/api, fields without omitempty). */
export const emptyStatus = (resource: ApiResource): object => BY_RESOURCE.get(resource) ?? {}
