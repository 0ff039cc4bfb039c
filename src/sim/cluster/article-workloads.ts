/** The article's service: five replicas of one container behind a NodePort. */
export interface WhoamiOptions {
  /** `improved`: some grace and a budget, as the article's second step. `plain`: exits at once. */
  readonly service: 'improved' | 'plain'
  /** How long a pod serves on after its SIGTERM: three seconds, as the article has it, unless told otherwise. */
  readonly graceSeconds?: number
  readonly replicas?: number
  /** Of each node that has a pod, for a balancer that sends to it. Absent: the NodePort of the Service alone. */
  readonly hostPort?: number
  readonly ports?: Partial<ArticlePorts>
}

/** Where the containers listen, and the node ports of two Services. */
export interface ArticlePorts {
  readonly app: number
  readonly whoami: number
  readonly ingress: number
}

export const WHOAMI_PORT = 30080
export const EDGE_PORT = 30090
export const INGRESS_PORT = 30088
export const ARTICLE_PORTS: ArticlePorts = { app: 8080, whoami: WHOAMI_PORT, ingress: INGRESS_PORT }

/** The test bed's app, which names the pod that served. */
export const appContainer = (
  env: Readonly<Record<string, string>>,
  extra: object = {},
  port = ARTICLE_PORTS.app,
): object => ({
  name: 'app',
  image: 'testbed.local/app:1',
  imagePullPolicy: 'Never',
  env: [
    { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ...Object.entries(env).map(([name, value]) => ({ name, value })),
  ],
  ports: [{ containerPort: port }],
  readinessProbe: { httpGet: { path: '/readyz', port }, periodSeconds: 1 },
  resources: { requests: { cpu: '20m', memory: '16Mi' } },
  ...extra,
})

const spread = (app: string): object => ({
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: { app } },
})

interface NodePorts {
  readonly node: number
  readonly app: number
}

const nodePort = (app: string, ports: NodePorts, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: app },
  spec: {
    type: 'NodePort',
    selector: { app },
    ports: [{ port: 80, targetPort: ports.app, nodePort: ports.node }],
    ...more,
  },
})

export function budget(name: string, app: string, minAvailable: number): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { minAvailable, selector: { matchLabels: { app } } },
  }
}

export function whoami({ service, graceSeconds = 3, replicas = 5, hostPort, ports }: WhoamiOptions): readonly object[] {
  const { app, whoami: node } = { ...ARTICLE_PORTS, ...ports }
  const improved = service === 'improved'
  const env: Readonly<Record<string, string>> = improved
    ? { STOP: 'graceful', GRACE: `${graceSeconds}s` }
    : { STOP: 'immediate' }
  const onHost = hostPort === undefined ? {} : { ports: [{ containerPort: app, hostPort }] }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'whoami' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'whoami' } },
      template: {
        metadata: { labels: { app: 'whoami' } },
        spec: {
          terminationGracePeriodSeconds: graceSeconds + 17,
          topologySpreadConstraints: [spread('whoami')],
          containers: [appContainer(env, onHost, app)],
        },
      },
    },
  }
  return [
    deployment,
    nodePort('whoami', { node, app }),
    ...(improved ? [budget('whoami', 'whoami', replicas - 1)] : []),
  ]
}

/** One pod whose budget allows no eviction, which exits at once and serves nothing. `spec`: of the pod, in addition. */
export function shutApp(name: string, spec: object = {}): readonly object[] {
  const selector = { matchLabels: { app: name } }
  const containers = [appContainer({ STOP: 'immediate' })]
  const template = {
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 5, containers, ...spec },
  }
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { replicas: 1, selector, template } },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { maxUnavailable: 0, selector },
    },
  ]
}

/** A DaemonSet that other nodes send to: its Service spreads over all nodes. */
export function edge(): readonly object[] {
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'edge' },
    spec: {
      selector: { matchLabels: { app: 'edge' } },
      template: {
        metadata: { labels: { app: 'edge' } },
        spec: { terminationGracePeriodSeconds: 20, containers: [appContainer({ STOP: 'graceful', GRACE: '3s' })] },
      },
    },
  }
  return [daemonSet, nodePort('edge', { node: EDGE_PORT, app: ARTICLE_PORTS.app })]
}

/** The label of the article's ingress nodes. */
const INGRESS_NODE = { 'node-role.kubernetes.io/ingress-controller': '' }

/** An ingress in front of `whoami` on each of these nodes, each for its own: a balancer that checks it checks that node. */
export function ingress(
  nodeSelector: Readonly<Record<string, string>> = INGRESS_NODE,
  { app, ingress: node }: ArticlePorts = ARTICLE_PORTS,
): readonly object[] {
  const readinessProbe = { httpGet: { path: '/healthz', port: app }, periodSeconds: 1 }
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'ingress' },
    spec: {
      selector: { matchLabels: { app: 'ingress' } },
      template: {
        metadata: { labels: { app: 'ingress' } },
        spec: {
          terminationGracePeriodSeconds: 300,
          nodeSelector,
          tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
          // ingress-nginx tells nginx to quit as soon as it hears SIGTERM (nginx.go, Stop; --shutdown-grace-period is 0).
          containers: [appContainer({ FORWARD: 'whoami', STOP: 'graceful', GRACE: '0s' }, { readinessProbe }, app)],
        },
      },
    },
  }
  return [daemonSet, nodePort('ingress', { node, app }, { externalTrafficPolicy: 'Local' })]
}

/** Stateful pods, each with a volume of its own on its node's disk. */
export function database(nodes: readonly string[], { app }: ArticlePorts = ARTICLE_PORTS): readonly object[] {
  const volumes = nodes.map((node) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `data-${node}` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'node-disk',
      hostPath: { path: '/var/lib/cni/data', type: 'DirectoryOrCreate' },
    },
  }))
  const statefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      serviceName: 'db',
      replicas: nodes.length - 1,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: {
          terminationGracePeriodSeconds: 10,
          topologySpreadConstraints: [spread('db')],
          containers: [
            appContainer(
              { STOP: 'graceful', GRACE: '1s' },
              { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
              app,
            ),
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'node-disk',
            resources: { requests: { storage: '1Gi' } },
          },
        },
      ],
    },
  }
  const headless = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'db' },
    spec: { clusterIP: 'None', selector: { app: 'db' }, ports: [{ port: app }] },
  }
  return [...volumes, headless, statefulSet]
}
