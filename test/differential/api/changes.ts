import type { Draw } from './objects.ts'
import type { KindName } from './paths.ts'
import type { Step } from './step.ts'

const MERGE = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'

const STATUS = { status: { conditions: [] } }
const OTHER_UID = { metadata: { uid: 'another' } }

/** Changes of any object: of its metadata, and by each kind of patch. */
const ANY: readonly object[] = [
  { metadata: { labels: { l: 'x' } } },
  { metadata: { labels: { l: null } } },
  { metadata: { annotations: { a: 'b', c: null } } },
  { metadata: { finalizers: ['test.local/one'] } },
  { metadata: { finalizers: ['test.local/one', 'test.local/two'] } },
  { metadata: { finalizers: null } },
  { metadata: { labels: { l: 'a/b' } } },
  { metadata: { name: 'another' } },
  { metadata: { namespace: 'another' } },
  OTHER_UID,
  { metadata: { creationTimestamp: null, deletionTimestamp: '2020-01-01T00:00:00Z' } },
  { metadata: { annotations: { big: 'x'.repeat(300 * 1024) } } },
  STATUS,
  {},
]

const STATELESS: ReadonlySet<KindName> = new Set(['ConfigMap', 'Event', 'Lease', 'PriorityClass'])

const OF: Partial<Readonly<Record<KindName, readonly object[]>>> = {
  Node: [
    { spec: { unschedulable: true } },
    { spec: { unschedulable: null } },
    { spec: { taints: [{ key: 'a', effect: 'NoSchedule', value: 'x' }] } },
    { spec: { taints: null } },
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule' },
        ],
      },
    },
    { spec: { podCIDR: '10.9.0.0/24' } },
  ],
  ConfigMap: [{ data: { k: 'w' } }, { data: null }, { data: { k: 3 } }, { immutable: true }, { immutable: false }],
  Pod: [
    { spec: { terminationGracePeriodSeconds: 3 } },
    { spec: { nodeName: 'elsewhere' } },
    { spec: { activeDeadlineSeconds: 500 } },
    { spec: { tolerations: [{ key: 'b', operator: 'Exists' }] } },
    { metadata: { labels: { app: 'released' } } },
    { metadata: { ownerReferences: null } },
  ],
  Deployment: [
    { spec: { replicas: 1 } },
    { spec: { replicas: 3 } },
    { spec: { paused: true } },
    { spec: { paused: null } },
    { spec: { template: { metadata: { annotations: { at: 'now' } } } } },
    { spec: { template: { spec: { terminationGracePeriodSeconds: 7 } } } },
    { spec: { selector: { matchLabels: { app: 'another' } } } },
    { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } },
    { spec: { strategy: { type: 'Recreate' } } },
    { spec: { minReadySeconds: -1 } },
    { spec: { template: { metadata: { labels: { app: 'another' } } } } },
  ],
  ReplicaSet: [
    { spec: { replicas: 2 } },
    { spec: { replicas: 0 } },
    { spec: { selector: { matchLabels: { more: 'x' } } } },
  ],
  StatefulSet: [
    { spec: { replicas: 1 } },
    { spec: { replicas: 2 } },
    { spec: { template: { metadata: { annotations: { at: 'now' } } } } },
    { spec: { serviceName: 'another' } },
    { spec: { podManagementPolicy: 'Parallel' } },
    { spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } },
  ],
  DaemonSet: [
    { spec: { template: { metadata: { annotations: { at: 'now' } } } } },
    { spec: { selector: { matchLabels: { app: 'c' } } } },
    { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } },
    { spec: { template: { spec: { nodeSelector: { no: 'node' } } } } },
  ],
  Job: [
    { spec: { parallelism: 0 } },
    { spec: { parallelism: 2 } },
    { spec: { completions: 5 } },
    { spec: { backoffLimit: 1 } },
    { spec: { suspend: true } },
    { spec: { template: { metadata: { labels: { x: 'y' } } } } },
  ],
  PodDisruptionBudget: [
    { spec: { minAvailable: 1, maxUnavailable: null } },
    { spec: { maxUnavailable: 1, minAvailable: null } },
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    { spec: { selector: { matchLabels: { app: 'another' } } } },
  ],
  Lease: [
    { spec: { holderIdentity: 'c', leaseTransitions: 1 } },
    { spec: { leaseDurationSeconds: 0 } },
    { spec: { holderIdentity: '' } },
    { spec: null },
  ],
  NodeGuard: [{ spec: { a: 2 } }, { spec: null }, { status: { phase: 'ok' } }],
  IngressDaemonSet: [{ spec: { a: { b: 2, c: null } } }, { status: { phase: 'ok' } }],
  PersistentVolumeClaim: [
    { spec: { accessModes: ['ReadOnlyMany'] } },
    { spec: { resources: { requests: { storage: '2Gi' } } } },
  ],
  PersistentVolume: [{ spec: { persistentVolumeReclaimPolicy: 'Delete' } }, { spec: { capacity: { storage: '2Gi' } } }],
  ResourceQuota: [{ spec: { hard: { pods: '9' } } }],
  Service: [{ spec: { selector: { app: 'another' } } }],
  PriorityClass: [{ value: 5 }, { description: 'x' }],
  Event: [{ message: 'other' }, { reason: 'Other' }],
}

const JSON_PATCHES: readonly (readonly object[])[] = [
  [
    { op: 'test', path: '/metadata/annotations', value: null },
    { op: 'add', path: '/metadata/annotations', value: { a: '1' } },
  ],
  [{ op: 'test', path: '/metadata/nothing' }],
  [{ op: 'test', path: '/metadata/labels/zz', value: null }],
  [{ op: 'test', path: '/metadata/name', value: 'nobody' }],
  [{ op: 'add', path: '/metadata/labels/new', value: 'x' }],
  [{ op: 'add', path: '/metadata/labels', value: {} }],
  [
    { op: 'add', path: '/metadata/finalizers', value: ['t.l/a', 't.l/b'] },
    { op: 'remove', path: '/metadata/finalizers/-1' },
  ],
  [{ op: 'add', path: '/metadata/finalizers/-', value: 't.l/c' }],
  [{ op: 'remove', path: '/metadata/finalizers/0' }],
  [{ op: 'replace', path: '/metadata/annotations', value: { only: 'this' } }],
  [{ op: 'remove', path: '/metadata/annotations' }],
  [{ op: 'add', path: '/metadata/annotations/a~1b', value: '1' }],
  [{ op: 'copy', from: '/metadata/name', path: '/metadata/labels/copied' }],
  [{ op: 'move', from: '/metadata/labels', path: '/metadata/annotations' }],
  [{ op: 'odd', path: '/metadata' }],
  [{ op: 'replace', path: '/metadata/finalizers/7', value: 'x' }],
]

/** Takes the label away by which the objects of a sequence are found. */
const ALL_LABELS = /"\/metadata\/labels"/

/**
 * Patches that are not drawn of a kind: whether they can be made depends on what real controllers note and the embedded ones do
 * not, or their object is lost.
 */
const NOT_DRAWN: Partial<Readonly<Record<KindName, RegExp>>> = {
  Namespace: ALL_LABELS,
  Node: /annotations|"\/metadata\/labels"/,
  PersistentVolume: /finalizers|"\/metadata\/labels"/,
  PersistentVolumeClaim: /finalizers/,
  PriorityClass: ALL_LABELS,
}

/** A change of an object that is there, or was: by a patch, by a whole object, or by its status. */
export function drawChange(draw: Draw, kind: KindName, path: string): Step {
  const ours = OF[kind]
  // The labels of the pods of a Job are checked against its uid, and no type of the four knows a status.
  const any = ANY.filter(
    (change) => !(kind === 'Job' && change === OTHER_UID) && !(STATELESS.has(kind) && change === STATUS),
  )
  const merge = ours === undefined || draw.chance(0.35) ? draw.one(any) : draw.one(ours)
  const isOurs = kind === 'NodeGuard' || kind === 'IngressDaemonSet'
  const way = draw.below(20)
  if (way < 4) {
    const body = draw.one(JSON_PATCHES.filter((patch) => !(NOT_DRAWN[kind]?.test(JSON.stringify(patch)) ?? false)))
    return { do: 'ask', method: 'PATCH', path, body, contentType: JSON_PATCH }
  }
  if (way < 8) return { do: 'edit', path, merge, version: draw.one(['read', 'read', 'none', 'old'] as const) }
  if (way < 10) {
    const body = {
      ...merge,
      // The API checks what the status of a Job may become.
      ...(kind === 'Job' ? { status: undefined } : {}),
      ...(isOurs ? { status: { phase: 'Drawn' } } : {}),
      metadata: { annotations: { by: 'status' }, labels: { by: 'status' } },
    }
    return { do: 'ask', method: 'PATCH', path: `${path}/status`, body, contentType: MERGE }
  }
  const contentType = way < 13 && !isOurs ? STRATEGIC : MERGE
  const query = draw.chance(0.08) ? '?dryRun=All' : ''
  return { do: 'ask', method: 'PATCH', path: `${path}${query}`, body: merge, contentType }
}
