/** The defaults of an IngressDaemonSet, for its schema and its parser. */
export const INGRESS_DEFAULTS = {
  podsPerNode: 1,
  minReadySeconds: 0,
  imagePullPolicy: 'IfNotPresent',
  serviceAccountName: 'default',
  /** Where `maxUnavailableNodes` is 0. */
  maxDegradedNodes: 1,
  /** As a DaemonSet has it. */
  maxUnavailablePodsPerNode: 1,
  maxSurgedPodsPerNode: 0,
  detachKey: 'ingressdaemonsets.mumoshu.github.com/to-be-updated',
  graceSeconds: 10,
  detachTimeoutSeconds: 600,
  detachTimeoutPolicy: 'Pause',
  attachGraceSeconds: 10,
  paused: false,
  partition: 0,
  failureThreshold: 1,
  autoRollback: false,
  progressDeadlineSeconds: 600,
  minInServiceNodes: 1,
  zoneKey: 'topology.kubernetes.io/zone',
  replaceUnavailableFirst: false,
  onCordon: 'Detach',
  drainGate: 'Closed',
  placement: 'Affinity',
  revisionHistoryLimit: 10,
} as const

export const PODS_PER_NODE_MAX = 32
/** Of a count of nodes. */
export const NODES_MAX = 99_999
export const GRACE_MAX_SECONDS = 86_400
/** So that every name that is made from it stays within the 63 characters of a label. */
export const INGRESS_NAME_MAX = 30
