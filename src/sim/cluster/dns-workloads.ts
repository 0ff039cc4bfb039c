interface DnsPorts {
  /** Of the Service, and of its pods; 53 takes root. */
  readonly dns: number
  readonly health: number
}

interface DnsWorkload {
  readonly zone: string
  readonly replicas: number
  /** The cluster IP of the Service. */
  readonly address: string
  readonly ports: DnsPorts
}

const NAMESPACE = 'kube-system'
const LABELS = { 'k8s-app': 'kube-dns' }
const PLACE = { name: 'coredns', namespace: NAMESPACE }

const corefileOf = ({ zone, ports }: Pick<DnsWorkload, 'zone' | 'ports'>): string => `.:${ports.dns} {
    errors
    health :${ports.health}
    ready
    kubernetes ${zone} in-addr.arpa {
        pods insecure
        fallthrough in-addr.arpa
        ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}
`

/** CoreDNS as kubeadm installs it: Deployment `coredns`, Service `kube-dns`, its Corefile in a ConfigMap; with a budget. */
export function clusterDns({ zone, replicas, address, ports }: DnsWorkload): readonly object[] {
  const container = {
    name: 'coredns',
    image: 'registry.k8s.io/coredns/coredns:v1.12.1',
    args: ['-conf', '/etc/coredns/Corefile'],
    env: [{ name: 'ZONE', value: zone }],
    ports: [
      { name: 'health', containerPort: ports.health, protocol: 'TCP' },
      { name: 'dns', containerPort: ports.dns, protocol: 'UDP' },
      { name: 'dns-tcp', containerPort: ports.dns, protocol: 'TCP' },
    ],
    livenessProbe: { httpGet: { path: '/health', port: ports.health } },
    readinessProbe: { httpGet: { path: '/ready', port: ports.health }, periodSeconds: 1 },
    volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
  }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...PLACE, labels: LABELS },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: LABELS },
            },
          ],
          containers: [container],
          volumes: [{ name: 'config-volume', configMap: { name: PLACE.name } }],
        },
      },
    },
  }
  const port = (name: string, protocol: string) => ({ name, protocol, port: ports.dns, targetPort: ports.dns })
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: NAMESPACE, labels: LABELS },
    spec: {
      clusterIP: address,
      clusterIPs: [address],
      selector: LABELS,
      ports: [port('dns', 'UDP'), port('dns-tcp', 'TCP')],
    },
  }
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: PLACE,
    data: { Corefile: corefileOf({ zone, ports }) },
  }
  return [configMap, deployment, service, disruptionBudget(replicas)]
}

function disruptionBudget(replicas: number): object {
  const spec = { minAvailable: replicas - 1, selector: { matchLabels: LABELS } }
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: PLACE, spec }
}

interface ApiServiceAt {
  readonly address: string
  readonly port: number
  readonly server: { readonly host: string; readonly port: number }
}

/** `default/kubernetes`, which a real API server makes itself: its Service, and itself as the endpoint. */
export function apiService({ address, port, server }: ApiServiceAt): readonly object[] {
  const metadata = { name: 'kubernetes', namespace: 'default' }
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      clusterIP: address,
      clusterIPs: [address],
      ports: [{ name: 'http', protocol: 'TCP', port, targetPort: server.port }],
    },
  }
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [server.host], conditions: { ready: true } }],
    ports: [{ name: 'http', protocol: 'TCP', port: server.port }],
  }
  return [service, slice]
}
