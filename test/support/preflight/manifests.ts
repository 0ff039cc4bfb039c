import type { ApiManifest } from './bad-situation.ts'

interface NodeReading {
  readonly cpu?: string
  readonly memory?: string
  readonly pods?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly ready?: 'True' | 'False'
  /** Beside Ready. */
  readonly conditions?: readonly Readonly<Record<string, string>>[]
}

export const bootOf = (name: string): string => `boot-of-${name}`
const addressOf = (name: string): string => `10.0.0.${name.slice(1)}`

/** A Node whose status is as its kubelet would write it. */
export function node(name: string, facts: NodeReading = {}): ApiManifest {
  const { cpu = '4', memory = '8Gi', pods = '110', labels = {}, annotations = {}, spec = {} } = facts
  const { ready = 'True', conditions = [] } = facts
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels }, annotations },
    spec,
    status: {
      allocatable: { cpu, memory, pods },
      capacity: { cpu, memory, pods },
      addresses: [{ type: 'InternalIP', address: addressOf(name) }],
      nodeInfo: NODE_INFO(name),
      conditions: [{ type: 'Ready', status: ready, reason: 'KubeletReady', message: '' }, ...conditions],
    },
  }
}

const NODE_INFO = (name: string): Readonly<Record<string, string>> => ({
  bootID: bootOf(name),
  machineID: name,
  systemUUID: name,
  kernelVersion: '6.1',
  osImage: 'test',
  containerRuntimeVersion: 'containerd://2.1.0',
  kubeletVersion: 'v1.35.4',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
})

export const nodes = (count: number, facts: NodeReading = {}): readonly ApiManifest[] =>
  Array.from({ length: count }, (_, i) => node(`n${i + 1}`, facts))

interface PodsFacts {
  /** The node of each pod. */
  readonly on: readonly string[]
  readonly unready?: readonly number[]
  readonly spec?: Readonly<Record<string, unknown>>
  readonly requests?: Readonly<Record<string, string>>
  readonly container?: Readonly<Record<string, unknown>>
  readonly namespace?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

const podSpec = ({ requests = {}, container = {}, spec = {} }: PodsFacts): Readonly<Record<string, unknown>> => ({
  ...spec,
  containers: [{ name: 'main', image: 'none', resources: { requests }, ...container }],
})

/** Running pods `NAME-0`, … with the label `app`, which nothing has made. */
export const pods = (app: string, facts: PodsFacts): readonly ApiManifest[] =>
  facts.on.map((nodeName, i) => {
    const { namespace = 'default', metadata = {}, unready = [] } = facts
    const ready = unready.includes(i) ? 'False' : 'True'
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-${i}`, namespace, labels: { app }, ...metadata },
      spec: { nodeName, ...podSpec(facts) },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
    }
  })

/** The same pods, and the ReplicaSet that adopts them. */
export const replicas = (app: string, facts: PodsFacts): readonly ApiManifest[] => [
  ...pods(app, facts),
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: app },
    spec: {
      replicas: facts.on.length,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: podSpec(facts) },
    },
  },
]

export const budget = (
  name: string,
  app: string | undefined,
  spec: Readonly<Record<string, unknown>>,
): ApiManifest => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec: { selector: app === undefined ? {} : { matchLabels: { app } }, ...spec },
})

/** A claim bound to a volume of that node's disk. */
export const localVolume = (claim: string, nodeName: string): readonly ApiManifest[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${claim}` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'disk',
      local: { path: '/data' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }] },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: claim },
    spec: {
      volumeName: `pv-${claim}`,
      storageClassName: 'disk',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
  },
]

export const withClaim = (claim: string): Readonly<Record<string, unknown>> => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
})
