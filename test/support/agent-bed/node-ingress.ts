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
            {
              name: 'app',
              image: 'testbed.local/app:1',
              imagePullPolicy: 'Never',
              env: [
                { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
                { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'PORT', value: String(port) },
                { name: 'FORWARD', value: 'http://$(WHOAMI_SERVICE_HOST)' },
                { name: 'GRACE', value: '0s' },
              ],
              ports,
              readinessProbe: { httpGet: { path: '/healthz', port }, periodSeconds: 1 },
              resources: { requests: { cpu: '20m', memory: '16Mi' } },
            },
          ],
        },
      },
    },
  }
}
