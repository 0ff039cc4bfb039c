type Json = Readonly<Record<string, unknown>>

export const nodeAt = (at: number): string => `node-${String(at).padStart(5, '0')}.example.internal`

/** Of some 9 kB, as those of clusters are: most of it is images. */
export function nodeObject(name: string): Json {
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' }))
  const images = Array.from({ length: 50 }, (_, at) => ({
    names: [`registry.example/team/image-${at}@sha256:${'0'.repeat(64)}`, `registry.example/team/image-${at}:1.${at}`],
    sizeBytes: 100_000_000 + at,
  }))
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'node-role.kubernetes.io/edge': '' } },
    spec: { podCIDR: '10.244.1.0/24' },
    status: {
      conditions: [...pressures, { type: 'Ready', status: 'True', reason: 'KubeletReady' }],
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      images,
      nodeInfo: { bootID: name, kubeletVersion: 'v1.36.0' },
    },
  }
}

/** Two pods on each node, which leave by their health check; no grace, so that what is measured is the controller. */
export const ingressObject = (name: string): Json => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { name },
  spec: {
    podsPerNode: 2,
    updateStrategy: {
      rollingUpdate: {
        maxUnavailableNodes: 1,
        attachGraceSeconds: 1,
        annotateDeploymentToDetach: {
          key: 'ingressdaemonsets.mumoshu.github.com/to-be-updated',
          value: 'true',
          gracePeriodSeconds: 0,
        },
      },
    },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name: 'proxy',
            image: `registry.example/edge/${name}:1`,
            args: ['--config', '/etc/proxy/proxy.yaml', '--concurrency', '2'],
            ports: [{ containerPort: 8_080 }, { containerPort: 8_443 }],
            resources: { requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '512Mi' } },
            readinessProbe: { httpGet: { path: '/ready', port: 8_081 }, periodSeconds: 2 },
            volumeMounts: [{ name: 'config', mountPath: '/etc/proxy' }],
          },
        ],
        volumes: [{ name: 'config', configMap: { name: `${name}-config` } }],
      },
    },
  },
})
