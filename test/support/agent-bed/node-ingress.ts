import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'

/** Where the nodes serve what balancers send them. */
export const DATA_PORT = 30_443

const DIRECT = {
  hostNetwork: { spec: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, port: DATA_PORT, ports: [] },
  hostPort: { spec: {}, port: 8_080, ports: [{ containerPort: 8_080, hostPort: DATA_PORT }] },
} as const

export type IngressKind = keyof typeof DIRECT

/**
 * An ingress in front of `whoami` on every node, which Kubernetes leads nothing to: balancers send to the node's own port. It
 * stays on its node through a drain, and ends with it.
 */
export function nodeIngress(kind: IngressKind): object {
  const { spec, port, ports } = DIRECT[kind]
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'node-ingress' },
    spec: {
      selector: { matchLabels: { app: 'node-ingress' } },
      template: {
        metadata: { labels: { app: 'node-ingress' } },
        spec: {
          ...spec,
          terminationGracePeriodSeconds: 10,
          tolerations: [{ operator: 'Exists' }],
          containers: [
            appContainer(
              { PORT: String(port), FORWARD: 'http://$(WHOAMI_SERVICE_HOST)', GRACE: '0s' },
              { ports, readinessProbe: { httpGet: { path: '/healthz', port }, periodSeconds: 1 } },
            ),
          ],
        },
      },
    },
  }
}
