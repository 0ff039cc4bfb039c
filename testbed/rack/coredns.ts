import { dnsServiceAddress } from '../addresses.ts'
import type { ApiClient } from './api-client.ts'

const NAMESPACE = 'kube-system'
const LABELS = { 'k8s-app': 'kube-dns' }
export const corednsReplicas = 2

const COREFILE = `.:53 {
  errors
  health {
    lameduck 2s
  }
  ready
  prometheus :9153
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 5
  }
  cache 5
  loadbalance
}
`

/** Creates the cluster's DNS. To be called when all nodes are Ready, else both replicas land on the first one. */
export async function createCoredns(api: ApiClient, replicas: number): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const core = `/api/v1/namespaces/${NAMESPACE}`
  await Promise.all([
    api.create(`${core}/serviceaccounts`, { metadata: { name: 'coredns' } }),
    api.create(`${rbac}/clusterroles`, { metadata: { name: 'system:coredns' }, rules: RULES }),
    api.create(`${rbac}/clusterrolebindings`, BINDING),
    api.create(`${core}/configmaps`, { metadata: { name: 'coredns' }, data: { Corefile: COREFILE } }),
    api.create(`${core}/services`, SERVICE),
  ])
  await api.create(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, deployment(replicas))
}

/** Where the Deployment tells how many replicas are available. */
export const corednsPath = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/coredns`

const RULES = [
  { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
]

const BINDING = {
  metadata: { name: 'system:coredns' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
  subjects: [{ kind: 'ServiceAccount', name: 'coredns', namespace: NAMESPACE }],
}

const SERVICE = {
  metadata: { name: 'kube-dns', labels: LABELS },
  spec: {
    clusterIP: dnsServiceAddress,
    selector: LABELS,
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    ],
  },
}

function deployment(replicas: number): object {
  return {
    metadata: { name: 'coredns', labels: LABELS },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: POD },
    },
  }
}

const POD = {
  serviceAccountName: 'coredns',
  dnsPolicy: 'Default',
  priorityClassName: 'system-cluster-critical',
  tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: LABELS },
    },
  ],
  containers: [
    {
      name: 'coredns',
      image: 'testbed.local/coredns:1',
      imagePullPolicy: 'Never',
      args: ['-conf', '/etc/coredns/Corefile'],
      ports: [
        { containerPort: 53, protocol: 'UDP' },
        { containerPort: 53, protocol: 'TCP' },
        { name: 'metrics', containerPort: 9153, protocol: 'TCP' },
      ],
      readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: '/health', port: 8080 } },
      volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
    },
  ],
  volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
}
