import type { SeededRandom } from '../../support/seeded-random.ts'
import type { KindName } from './paths.ts'

/** Chance, as draws of objects and steps use it. */
export class Draw {
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit)
  }

  chance(share: number): boolean {
    return this.#random.next() < share
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}

/** What a pod does once it is on a node; the driver writes it as a kubelet would. */
const RUNS = ['ready', 'ready', 'ready', 'unready'] as const

const container = (draw: Draw): object => ({
  name: 'main',
  image: draw.one([
    'none:1',
    'none',
    'test.local/none@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  ]),
  ...(draw.chance(0.3) ? { readinessProbe: draw.one(PROBES) } : {}),
  ...(draw.chance(0.2) ? { ports: [{ containerPort: 80 }] } : {}),
  ...(draw.chance(0.2) ? { resources: { requests: { cpu: '10m', memory: '1Mi' } } } : {}),
  ...(draw.chance(0.2)
    ? {
        env: [
          { name: 'A', value: 'b' },
          { name: 'ME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
      }
    : {}),
  ...(draw.chance(0.1) ? { lifecycle: { preStop: { httpGet: { path: '/bye', port: 80 } } } } : {}),
})

const PROBES = [
  { httpGet: { path: '/ready', port: 80 } },
  { tcpSocket: { port: 80 }, periodSeconds: 3 },
  { exec: { command: ['true'] }, failureThreshold: 1 },
  { grpc: { port: 80 } },
]

function podSpec(draw: Draw, name: string): object {
  return {
    nodeSelector: { 'test.local/world': name },
    terminationGracePeriodSeconds: draw.one([0, 5, 30]),
    ...(draw.chance(0.2) ? { tolerations: [{ key: 'a', operator: 'Exists' }] } : {}),
    ...(draw.chance(0.1) ? { hostNetwork: true } : {}),
    ...(draw.chance(0.1)
      ? {
          volumes: [
            draw.one([
              { name: 'v', emptyDir: {} },
              { name: 'v', hostPath: { path: '/tmp' } },
              { name: 'v', configMap: { name: 'none' } },
            ]),
          ],
        }
      : {}),
    containers: [container(draw)],
  }
}

const template = (draw: Draw, name: string, labels: object): object => ({
  metadata: { labels: { ...labels, 'test.local/runs': draw.one(RUNS) } },
  spec: podSpec(draw, name),
})

type Maker = (draw: Draw, of: { readonly world: string; readonly name: string }) => object

const workload =
  (more: (draw: Draw) => object, fixed: object = {}): Maker =>
  (draw, { world, name }) => {
    const labels = { app: name }
    return {
      spec: { ...more(draw), ...fixed, selector: { matchLabels: labels }, template: template(draw, world, labels) },
    }
  }

const share = (draw: Draw): number | string => draw.one([0, 1, 1, 2, '25%', '50%'])

/** The least that each kind needs, and what it may have beside. */
export const MAKERS: Readonly<Record<KindName, Maker>> = {
  Namespace: () => ({}),
  Node: (draw) => ({
    ...(draw.chance(0.5)
      ? { spec: { taints: [{ key: 'a', effect: draw.one(['NoSchedule', 'PreferNoSchedule']) }] } }
      : {}),
  }),
  PersistentVolume: (draw, { world }) => ({
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: world,
      ...draw.one([{ hostPath: { path: '/tmp/x' } }, { csi: { driver: 'test.csi', volumeHandle: 'h1' } }]),
    },
  }),
  PriorityClass: (draw) => ({
    value: draw.one([10, 1000]),
    ...(draw.chance(0.3) ? { preemptionPolicy: 'Never' } : {}),
  }),
  ConfigMap: (draw) => ({ data: { k: draw.one(['v', '', 'w\n']) }, ...(draw.chance(0.1) ? { immutable: true } : {}) }),
  Event: (draw, { world }) => ({
    involvedObject: draw.one([
      { kind: 'Pod', name: 'some', namespace: world },
      { kind: 'Node', name: `${world}-n1` },
      { kind: 'Pod', name: 'some', namespace: 'default' },
    ]),
    reason: 'Drawn',
    message: 'm',
    type: draw.one(['Normal', 'Warning']),
  }),
  Pod: (draw, { world, name }) => {
    const { metadata, spec } = template(draw, world, { app: name }) as { metadata: object; spec: object }
    return { metadata, spec }
  },
  PersistentVolumeClaim: (_draw, { world }) => ({
    spec: { storageClassName: world, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  ResourceQuota: (draw) => ({ spec: { hard: { pods: draw.one(['2', '4', '50']) } } }),
  Service: (draw, { name }) => ({ spec: { selector: { app: name }, ports: [{ port: draw.one([80, 8080]) }] } }),
  Lease: (draw) => ({
    spec: {
      holderIdentity: draw.one(['a', 'b']),
      leaseDurationSeconds: draw.one([15, 1]),
      ...(draw.chance(0.5) ? { renewTime: '2026-01-01T00:00:00.000001Z' } : {}),
    },
  }),
  Deployment: workload((draw) => ({
    ...(draw.chance(0.8) ? { replicas: draw.one([0, 1, 2, 3]) } : {}),
    ...(draw.chance(0.5)
      ? {
          strategy: draw.one([
            { type: 'Recreate' },
            { rollingUpdate: { maxUnavailable: share(draw), maxSurge: 1 } },
            { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: share(draw) } },
          ]),
        }
      : {}),
    ...(draw.chance(0.2) ? { minReadySeconds: 1 } : {}),
    ...(draw.chance(0.1) ? { paused: true } : {}),
  })),
  ReplicaSet: workload((draw) => ({ ...(draw.chance(0.8) ? { replicas: draw.one([0, 1, 2]) } : {}) })),
  StatefulSet: workload((draw) => {
    const replicas = draw.chance(0.8) ? draw.one([1, 2, 3]) : undefined
    const isParallel = draw.chance(0.3)
    return {
      serviceName: 'none',
      // Its second and third pod come at once: which of them gets the last port or the rest of a quota is chance.
      ...(replicas === undefined ? {} : { replicas: isParallel ? Math.min(2, replicas) : replicas }),
      ...(isParallel ? { podManagementPolicy: 'Parallel' } : {}),
      ...(draw.chance(0.3)
        ? { updateStrategy: draw.one([{ type: 'OnDelete' }, { rollingUpdate: { partition: 1 } }]) }
        : {}),
    }
  }),
  DaemonSet: workload((draw) => ({
    ...(draw.chance(0.5)
      ? {
          updateStrategy: draw.one([
            { type: 'OnDelete' },
            { rollingUpdate: { maxUnavailable: share(draw) } },
            { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
          ]),
        }
      : {}),
  })),
  Job: (draw, { world, name }) => ({
    spec: {
      ...(draw.chance(0.5) ? { completions: draw.one([1, 2]) } : {}),
      ...(draw.chance(0.5) ? { parallelism: draw.one([1, 2]) } : {}),
      backoffLimit: draw.one([0, 0, 1]),
      template: {
        metadata: { labels: { app: name, 'test.local/runs': draw.one(['ready', 'succeeds', 'succeeds', 'fails']) } },
        spec: { ...podSpec(draw, world), restartPolicy: 'Never' },
      },
    },
  }),
  PodDisruptionBudget: (draw, { name }) => ({
    spec: {
      selector: { matchLabels: { app: name } },
      ...draw.one([
        { minAvailable: 1 },
        { minAvailable: '50%' },
        { maxUnavailable: 1 },
        { maxUnavailable: 0 },
        { maxUnavailable: '30%' },
      ]),
      ...(draw.chance(0.2) ? { unhealthyPodEvictionPolicy: 'AlwaysAllow' } : {}),
    },
  }),
  NodeGuard: () => ({ spec: { a: 1 } }),
  IngressDaemonSet: () => ({ spec: { a: { b: 1 } } }),
}

/** Of a Service and an Event, the real one looks at all else first. */
export const NAMELESS = { metadata: { name: null } }

/** What is wrong with a new object, as a merge patch of it; most of it is refused. */
export const FLAWS: readonly object[] = [
  { metadata: { labels: { l: 'a/b' } } },
  { metadata: { labels: { 'not a key': 'x' } } },
  { metadata: { labels: { l: 3 } } },
  { metadata: { annotations: { 'not a key': 'x' } } },
  { metadata: { annotations: { big: 'x'.repeat(300 * 1024) } } },
  { metadata: { finalizers: ['nothing'] } },
  { metadata: { finalizers: ['not a name/x'] } },
  { metadata: { name: 'Upper' } },
  NAMELESS,
  { metadata: { namespace: 'other' } },
  { metadata: { resourceVersion: '7' } },
  { metadata: { uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z' } },
  { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none' }] } },
  { kind: 'Wrong' },
]

export const FLAWS_OF: Partial<Readonly<Record<KindName, readonly object[]>>> = {
  Node: [
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule', value: 'x' },
        ],
      },
    },
    { spec: { taints: [{ key: 'a', effect: 'Never' }] } },
    { spec: { taints: [{ key: 'a b', effect: 'NoSchedule' }] } },
    { spec: { taints: [{ key: 'a' }] } },
  ],
  ConfigMap: [
    { data: { k: 3 } },
    { data: { 'a/b': 'x' } },
    { data: { k: 'x'.repeat(1_100_000) } },
    { data: null, binaryData: { k: 'AAEC' } },
  ],
  Pod: [
    { spec: { containers: [] } },
    { spec: { containers: [{ name: 'main' }] } },
    { spec: { containers: [{ name: 'Main', image: 'x' }] } },
    { spec: { terminationGracePeriodSeconds: -1 } },
    { spec: { restartPolicy: 'Sometimes' } },
    { spec: { priorityClassName: 'none' } },
    { spec: { priority: 5 } },
    { spec: { tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] } },
    { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'none' } }] } },
    { spec: { containers: [{ name: 'main', image: 'x', volumeMounts: [{ name: 'none', mountPath: '/x' }] }] } },
  ],
  Deployment: [
    { spec: { selector: { matchLabels: { app: 'another' } } } },
    { spec: { selector: null } },
    { spec: { replicas: -1 } },
    { spec: { strategy: { type: 'Other' } } },
    { spec: { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } } },
    { spec: { template: { spec: { restartPolicy: 'Never' } } } },
    { spec: { minReadySeconds: 600, progressDeadlineSeconds: 600 } },
  ],
  ReplicaSet: [{ spec: { selector: { matchLabels: { app: 'another' } } } }, { spec: { replicas: -1 } }],
  StatefulSet: [
    { spec: { selector: { matchLabels: { app: 'another' } } } },
    { spec: { podManagementPolicy: 'Other' } },
  ],
  DaemonSet: [
    { spec: { selector: { matchLabels: { app: 'another' } } } },
    { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } } },
    { spec: { updateStrategy: { type: 'Recreate' } } },
    { spec: { template: { spec: { containers: null } } } },
  ],
  Job: [
    { spec: { template: { spec: { restartPolicy: 'Always' } } } },
    { spec: { backoffLimit: -1 } },
    { spec: { selector: { matchLabels: { a: 'b' } } } },
  ],
  PodDisruptionBudget: [
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    { spec: { minAvailable: '120%', maxUnavailable: null } },
    { spec: { minAvailable: -1, maxUnavailable: null } },
    { spec: { unhealthyPodEvictionPolicy: 'Never' } },
  ],
  Lease: [{ spec: { leaseDurationSeconds: 0 } }, { spec: { leaseTransitions: -1 } }, { spec: { renewTime: 'now' } }],
  Event: [{ involvedObject: { kind: 'Node', name: 'x', namespace: 'default' } }, { type: 'Other' }],
  PersistentVolumeClaim: [{ spec: { accessModes: [] } }, { spec: { resources: { requests: { storage: '0' } } } }],
  PersistentVolume: [{ spec: { capacity: null } }, { spec: { accessModes: ['Whole'] } }],
  ResourceQuota: [{ spec: { hard: { pods: '-1' } } }],
  Service: [{ spec: { ports: [{ port: 0 }] } }, { spec: { type: 'Other' } }],
  PriorityClass: [{ value: 2_000_000_000 }],
}
