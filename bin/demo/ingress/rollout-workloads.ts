import { ROLLOUT_CHECK, type RolloutKind } from '../../../src/demo/ingress/ingress-demo-actions.ts'
import type { CheckConfig } from '../../../src/sim/balancer/balancer-config.ts'
import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'

export interface RolloutPorts {
  /** Of the containers. */
  readonly app: number
  readonly node: number
  /** The ports of a node's agent: for health checks, and for its status. */
  readonly agent: number
  readonly agentStatus: number
}

/** Three failed checks take at most 1.5 s, two good ones 1 s. The margin is for a busy machine. */
const DETACH_GRACE_SECONDS = 3
/** A busy machine answers late, which must not look like a node that does not serve. */
const CHECK = { ...ROLLOUT_CHECK, timeoutMs: 2_000 }
/** How long the balancer has to send to a node again before the next one changes. */
export const READY_SECONDS = 2
const NAME = 'web'

interface Workload {
  readonly podsPerNode: number
  /** The only health check of a DaemonSet is that of its pod; a node's agent can refuse checks before its pods change. */
  readonly check: (ports: RolloutPorts) => CheckConfig
  readonly manifest: (version: string, app: number) => object
}

/** On SIGTERM its app finishes the requests under way and exits, as ingress-nginx does. */
const template = (version: string, app: number): object => ({
  metadata: { labels: { app: NAME } },
  spec: {
    terminationGracePeriodSeconds: 20,
    containers: [appContainer({ STOP: 'graceful', GRACE: '0s', START_DELAY: '1s', VERSION: version }, {}, app)],
  },
})

const selector = { matchLabels: { app: NAME } }

export const WORKLOADS: Readonly<Record<RolloutKind, Workload>> = {
  DaemonSet: {
    podsPerNode: 1,
    check: () => ({ path: '/readyz', ...CHECK }),
    manifest: (version, app) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { namespace: 'default', name: NAME },
      spec: { selector, minReadySeconds: READY_SECONDS, template: template(version, app) },
    }),
  },
  IngressDaemonSet: {
    podsPerNode: 2,
    check: ({ agent }) => ({ path: '/nodecheck', port: agent, ...CHECK }),
    manifest: (version, app) => ({
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'IngressDaemonSet',
      metadata: { namespace: 'default', name: NAME },
      spec: {
        podsPerNode: 2,
        selector,
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: {
            maxUnavailableNodes: 1,
            annotateDeploymentToDetach: { gracePeriodSeconds: DETACH_GRACE_SECONDS },
            attachGraceSeconds: READY_SECONDS,
          },
        },
        template: template(version, app),
      },
    }),
  },
}

/** Each node serves its traffic with its own pods. */
export const rolloutService = ({ app, node }: RolloutPorts): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name: NAME },
  spec: {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    selector: { app: NAME },
    ports: [{ port: 80, targetPort: app, nodePort: node }],
  },
})
