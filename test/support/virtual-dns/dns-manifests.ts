import { apiService, clusterDns } from '../../../src/sim/cluster/dns-workloads.ts'
import type { Family } from '../../../src/sim/machines/families.ts'
import type { NodeSpec } from '../../../src/sim/machines/node-spec.ts'
import type { FaultKind } from './dns-faults.ts'
import type { DnsScenario } from './dns-scenario.ts'
import type { DnsSetup } from './dns-setup.ts'

export const ZONE = 'cluster.local'
export const PORTS = { dns: 53, health: 8080 } as const
const NODE_PORT = 30_053
export const WINDOWS = 'win-1'

type Json = Readonly<Record<string, unknown>>

/** Of a cluster IP: the same last number in both families. */
const addressIn = (family: Family, last: number): string =>
  family === 'IPv4' ? `10.96.${last >> 8}.${last & 255}` : `fd00:10:96::${last.toString(16)}`
const addressesOf = ({ families }: Pick<DnsSetup, 'families'>, last: number): Json => {
  const clusterIPs = families.map((family) => addressIn(family, last))
  return { clusterIP: clusterIPs[0], clusterIPs, ipFamilies: families }
}

const WRONG_PORT = 5_353
const API = 1
const DNS = 10
const UPSTREAM = 11
const FIRST_CART = 0x700

/** Where NodeLocal caches ask. */
export const upstreamAddress = ({ families: [family = 'IPv4'] }: DnsSetup): string => addressIn(family, UPSTREAM)

export const dnsAddresses = ({ families }: DnsSetup): readonly string[] =>
  families.map((family) => addressIn(family, DNS))

/** Of Linux first, and one beside them where it is drawn. */
export function nodesOf({ nodes, replicas, setup }: DnsScenario): readonly Omit<NodeSpec, 'address'>[] {
  const { families, clocksAheadMs, hasWindows, isFull } = setup
  // One pod of people on each node, and of DNS as many as it takes.
  const room = 1 + Math.ceil(replicas / nodes)
  const linux = Array.from({ length: nodes }, (_, i) => ({
    name: `n${i + 1}`,
    families,
    clockAheadMs: clocksAheadMs[i % clocksAheadMs.length] ?? 0,
    ...(isFull ? { capacity: { cpu: '4', memory: '8Gi', pods: String(room) } } : {}),
  }))
  const windows = { name: WINDOWS, families, labels: { 'kubernetes.io/os': 'windows' } }
  return hasWindows ? [...linux, windows] : linux
}

const LABELS = { 'k8s-app': 'kube-dns', 'app.kubernetes.io/name': 'coredns' }

interface Workload extends Json {
  readonly spec: { readonly template: { readonly spec: Json & { readonly containers: readonly Json[] } } }
}

/** DNS as kubeadm installs it, with what is drawn, and the Service of the API server. */
export function dnsManifests({ replicas, setup }: Pick<DnsScenario, 'replicas' | 'setup'>): readonly object[] {
  const { beside } = setup
  const [configMap, deployment, service, budget] = clusterDns({ zone: ZONE, replicas, address: '', ports: PORTS })
  const own = deployment as unknown as Workload
  return [
    {
      ...configMap,
      data: { Corefile: corefileOf(setup, (configMap as { data: { Corefile: string } }).data.Corefile) },
    },
    workloadOf(own, setup, setup.workload === 'DaemonSet' ? {} : { replicas: beside === 'deployment' ? 1 : replicas }),
    ...(beside === 'deployment'
      ? [
          {
            ...workloadOf(own, { ...setup, workload: 'Deployment' }, { replicas: replicas - 1 }),
            metadata: place('coredns-2'),
          },
        ]
      : []),
    serviceOf(service as Json, setup, addressesOf(setup, DNS)),
    ...(setup.hasCaches ? [upstreamOf(service as Json, setup)] : []),
    ...besideOf(service as Json, setup),
    budget ?? {},
    ...apiOf(setup),
  ]
}

const place = (name: string): Json => ({ name, namespace: 'kube-system' })

function workloadOf({ spec: { template }, ...rest }: Workload, setup: DnsSetup, size: Json): Json {
  const { workload, isHostNetwork } = setup
  const { topologySpreadConstraints: _, containers, ...pod } = template.spec
  const strategy = { rollingUpdate: { maxUnavailable: 1 } }
  return {
    ...rest,
    kind: workload,
    spec: {
      ...size,
      ...(workload === 'DaemonSet' ? { updateStrategy: strategy } : { strategy }),
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          ...pod,
          ...(workload === 'DaemonSet' ? {} : { topologySpreadConstraints: template.spec.topologySpreadConstraints }),
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          ...(isHostNetwork ? { hostNetwork: true } : {}),
          containers,
        },
      },
    },
  }
}

function serviceOf(service: Json, { policy }: DnsSetup, addresses: Json): Json {
  const spec = service.spec as Json
  const policies = {
    none: {},
    local: { internalTrafficPolicy: 'Local' },
    affinity: { sessionAffinity: 'ClientIP' },
  }
  return { ...service, spec: { ...spec, ...addresses, ...policies[policy] } }
}

const upstreamOf = (service: Json, setup: DnsSetup): Json => ({
  ...service,
  metadata: place('kube-dns-upstream'),
  spec: { ...(service.spec as Json), ...addressesOf(setup, UPSTREAM) },
})

/** Other Services that lead to the same pods: by another label, or from outside of the cluster. */
function besideOf(service: Json, setup: DnsSetup): readonly Json[] {
  const spec = service.spec as Json & { readonly ports: readonly Json[] }
  if (setup.beside === 'service') {
    const selector = { 'app.kubernetes.io/name': 'coredns' }
    return [{ ...service, metadata: place('dns-beside'), spec: { ...spec, ...addressesOf(setup, 12), selector } }]
  }
  if (setup.beside !== 'nodePort') return []
  const ports = spec.ports.map((port) => ({ ...port, nodePort: NODE_PORT }))
  return [
    {
      ...service,
      metadata: place('dns-outside'),
      spec: { ...spec, ...addressesOf(setup, 13), type: 'NodePort', ports },
    },
  ]
}

const apiOf = (setup: DnsSetup): readonly object[] =>
  apiService({ address: '', port: 443, server: { host: '192.0.2.1', port: 6_443 } }).map((object) => {
    const { kind, spec } = object as Json
    return kind === 'Service' ? { ...object, spec: { ...(spec as Json), ...addressesOf(setup, API) } } : object
  })

function corefileOf({ corefile, families }: DnsSetup, text: string): string {
  const reversed = families.includes('IPv6') ? text.replaceAll('in-addr.arpa', 'in-addr.arpa ip6.arpa') : text
  switch (corefile) {
    case 'namespaces':
      return reversed.replace('pods insecure', 'pods insecure\n        namespaces kube-system')
    case 'noForward':
      return reversed.replace(/ *forward .*\n/, '')
    case 'fallthrough':
      return reversed.replace(/fallthrough .*/, 'fallthrough')
    case 'variable':
      return reversed.replace(`kubernetes ${ZONE}`, 'kubernetes {$CLUSTER_DOMAIN}')
    case 'standard':
      return reversed
  }
}

/** What makes the objects of DNS wrong, or right again. */
export function editOf(
  kind: FaultKind,
  isWrong: boolean,
  { replicas, setup: { workload, beside } }: Pick<DnsScenario, 'replicas' | 'setup'>,
): readonly object[] {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: place('kube-dns') }
  const ports = (target: number) => [
    { name: 'dns', protocol: 'UDP', port: PORTS.dns, targetPort: target },
    { name: 'dns-tcp', protocol: 'TCP', port: PORTS.dns, targetPort: target },
  ]
  const own = beside === 'deployment' ? 1 : replicas
  const scaled = (name: string, wanted: number): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: place(name),
    spec: { replicas: isWrong ? 0 : wanted },
  })
  switch (kind) {
    case 'wrongTarget':
      return [{ ...service, spec: { ports: ports(isWrong ? WRONG_PORT : PORTS.dns) } }]
    case 'noUdpPort':
      return [{ ...service, spec: { ports: ports(PORTS.dns).slice(isWrong ? 1 : 0) } }]
    case 'wrongSelector':
      return [{ ...service, spec: { selector: { 'k8s-app': isWrong ? 'nobody' : 'kube-dns' } } }]
    case 'noReplicas':
      if (workload === 'DaemonSet') return []
      return [scaled('coredns', own), ...(beside === 'deployment' ? [scaled('coredns-2', replicas - own)] : [])]
    default:
      return []
  }
}

/** Of people, so that there is a newest one. */
export const someService = (index: number, setup: DnsSetup): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: `cart-${index}`, namespace: 'default' },
  spec: { ...addressesOf(setup, FIRST_CART + index), selector: { app: 'cart' }, ports: [{ port: 80 }] },
})

/** Pods of people, one on each node: what a check connects to around a silent pod. */
export const neighbours = (): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'registry.test/web:1', ports: [{ containerPort: PORTS.health }] }] },
    },
  },
})
