/** A Deployment of the bed's app behind a NodePort, made ready for a test. */
interface AppOptions {
  readonly name: string
  readonly replicas: number
  readonly nodePort: number
  readonly env?: Readonly<Record<string, string>>
}

export function appManifest({ name, replicas, nodePort, env = {} }: AppOptions): object[] {
  const labels = { app: name }
  const fromField = (field: string): object => ({ valueFrom: { fieldRef: { fieldPath: field } } })
  const container = {
    name: 'app',
    image: 'testbed.local/app:1',
    imagePullPolicy: 'Never',
    env: [
      { name: 'NODE_NAME', ...fromField('spec.nodeName') },
      { name: 'POD_NAME', ...fromField('metadata.name') },
      ...Object.entries(env).map(([key, value]) => ({ name: key, value })),
    ],
    ports: [{ containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
  }
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { topologySpreadConstraints: [spread], containers: [container] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { type: 'NodePort', selector: labels, ports: [{ port: 80, targetPort: 8080, nodePort }] },
    },
  ]
}
