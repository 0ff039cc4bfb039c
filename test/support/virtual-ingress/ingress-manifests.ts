import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'
import { virtualRollFile } from '../virtual-roll/article-cluster.ts'
import { AGENT_PORT } from '../virtual-roll/virtual-agent.ts'

export type Json = Readonly<Record<string, unknown>>

const APP_PORT = 8080
export const NODE_PORT = 30_088

/** A load balancer that has nothing but a health check, which the agent of each node answers. */
export const FRONT = {
  backend: 'web',
  port: 18_080,
  nodePort: NODE_PORT,
  checkPath: '/nodecheck',
  checkPort: AGENT_PORT,
} as const

/** A load balancer that checks what it sends to, and that a detacher moves. */
export const PLAIN_FRONT = { backend: 'web', port: 18_080, nodePort: NODE_PORT } as const

/** Each node serves what it is sent by its own pods. */
export const webService = (nodePort: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    selector: { app: 'web' },
    ports: [{ port: 80, targetPort: APP_PORT, nodePort }],
  },
})

/** Of one container of that version. */
export const ingressTemplate = (version: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 20,
    containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: version }, {}, APP_PORT)],
  },
})

/** An IngressDaemonSet of two pods on each node, whose container is of that version. */
export const anIngressManifest = (version: string, spec: Json = {}, metadata: Json = {}): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { namespace: 'default', name: 'web', ...metadata },
  spec: {
    podsPerNode: 2,
    selector: { matchLabels: { app: 'web' } },
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        maxUnavailableNodes: 1,
        annotateDeploymentToDetach: { gracePeriodSeconds: 5 },
        attachGraceSeconds: 2,
      },
    },
    template: ingressTemplate(version),
    ...spec,
  },
})

/** What is used in its place: a DaemonSet of one pod on each node, of the same container. */
export const daemonSet = (version: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: version }, {}, APP_PORT)] },
    },
  },
})

export const budgetOf = (maxOut: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'evenkeel', name: 'evenkeel-budget' },
  data: { maxOut: String(maxOut) },
})

/** Over all nodes, by the socket of the balancer. */
export const ROLL_FILE = virtualRollFile({
  rate: 20,
  spec: {
    nodes: { all: true },
    balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
    soak: '1s',
  },
})
