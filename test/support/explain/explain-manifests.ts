import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'

type Json = Readonly<Record<string, unknown>>

interface AppOptions {
  readonly replicas?: number
  /** Of the container: how it starts and stops. */
  readonly env?: Readonly<Record<string, string>>
  /** Of the pod. */
  readonly spec?: Json
}

const podSpec = (node: string, { env = {}, spec = {} }: AppOptions): Json => ({
  nodeSelector: { 'kubernetes.io/hostname': node },
  terminationGracePeriodSeconds: 5,
  containers: [appContainer({ STOP: 'graceful', GRACE: '1s', ...env })],
  ...spec,
})

/** A Deployment whose pods run on one node alone. */
export const appOn = (node: string, name: string, options: AppOptions = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name },
  spec: {
    replicas: options.replicas ?? 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: podSpec(node, options) },
  },
})

export const daemonSet = (name: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { namespace: 'default', name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [appContainer({ STOP: 'graceful', GRACE: '1s' })] },
    },
  },
})

/** A pod that nothing made but a person. */
export const barePod = (node: string, name: string, metadata: Json = {}, options: AppOptions = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, labels: { app: name }, ...metadata },
  spec: podSpec(node, options),
})

export const podBudget = (name: string, app: string, spec: Json): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'default', name },
  spec: { selector: { matchLabels: { app } }, ...spec },
})

export const configMap = (name: string, data: Json): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'evenkeel', name },
  data,
})

export const grants = (granted: readonly string[]): object =>
  configMap('evenkeel-cordon-grants', { grants: JSON.stringify({ version: 1, granted, max: 1, of: 3 }) })

/** What a run wrote on a node that it has out. */
export const recordOf = (run: string): string =>
  JSON.stringify({
    ...{
      version: 1,
      run,
      at: '2026-01-01T00:00:00.000Z',
      slotNamespace: 'evenkeel',
      bootId: '4f3a9c52-7d1e-4a55-9d0e-0d6c8e1b2a34',
      unschedulable: false,
    },
    ...{ taints: [], servers: [], daemons: [], workloads: {}, dnsReady: 2 },
  })
