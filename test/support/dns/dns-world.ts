import type { TestContext } from 'node:test'
import { decode, type Packet } from 'dns-packet'
import type { DnsEndpoint, DnsPod, DnsService } from '../../../src/dns/model/dns-objects.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import type { Endpoint } from '../../../src/ground/model/endpoint.ts'
import { FakeDnsServer, reply, type Told } from './fake-dns-server.ts'

const SOA = {
  type: 'SOA',
  name: 'cluster.local',
  ttl: 5,
  data: { mname: 'ns.dns.cluster.local', rname: 'hostmaster' },
} as const
/** RFC 6891 6.1.3: the upper eight bits of 16. */
const BADVERS = {
  additionals: [
    {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 1_232,
      extendedRcode: 1,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    },
  ],
} satisfies Partial<Packet>
const API_ADDRESS = '10.96.0.1'
const NEWEST = { name: 'cart', namespace: 'shop', address: '10.96.7.7' }

/** Answers as CoreDNS with the kubernetes plugin does, by name. */
export const likeCoreDns = (query: Buffer): Told => answerOf(query, 'cluster.local')

export function answerOf(query: Buffer, zone: string): Told {
  const { questions: [question] = [], additionals = [] } = decode(query)
  const { name = '', class: queryClass = 'IN' } = question ?? {}
  const opt = additionals.find(({ type }) => type === 'OPT')
  const has = (type: 'A' | 'PTR' | 'TXT', data: string): Told => [
    { bytes: reply(query, { answers: [{ type, name, ttl: 5, data }] as never }) },
  ]
  if (opt?.type === 'OPT' && opt.ednsVersion !== 0) return [{ bytes: reply(query, BADVERS) }]
  if (queryClass === 'CH') return [{ bytes: reply(query, { rcode: 5 }) }]
  if (name === `dns-version.${zone}`) return has('TXT', '1.1.0')
  if (name === `kubernetes.default.svc.${zone}`) return has('A', API_ADDRESS)
  if (name === `${NEWEST.name}.${NEWEST.namespace}.svc.${zone}`) return has('A', NEWEST.address)
  if (name.endsWith(`.pod.${zone}`)) return has('A', (name.split('.')[0] ?? '').replaceAll('-', '.'))
  if (name === '1.0.96.10.in-addr.arpa') return has('PTR', `kubernetes.default.svc.${zone}`)
  if (name.endsWith('.in-addr.arpa')) return has('PTR', `kube-dns.kube-system.svc.${zone}`)
  if (name === 'example.com') return has('A', '93.184.216.34')
  return [{ bytes: reply(query, { rcode: 3, authorities: [SOA] as never }) }]
}

/** As kubeadm writes it. */
const STANDARD = `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
`

export interface DnsWorld {
  readonly objects: DnsObjects
  readonly pods: readonly FakeDnsServer[]
  /** What the address of the Service leads to. */
  readonly service: FakeDnsServer
}

/** A cluster whose DNS is fakes on loopback: so many pods, each a server with a port of its own, and the Service's address. */
export async function dnsWorld(t: TestContext, replicas = 2, change: Partial<DnsObjects> = {}): Promise<DnsWorld> {
  const servers = await Promise.all(Array.from({ length: replicas + 1 }, () => FakeDnsServer.of(t)))
  for (const server of servers) server.answering = likeCoreDns
  const [service, ...pods] = servers
  if (service === undefined) throw new Error('there is no server')
  const at = ({ port }: FakeDnsServer): Endpoint => ({ address: '127.0.0.1', port })
  return { objects: { ...objectsOf(at(service), pods.map(at)), ...change }, pods, service }
}

/** What the API says where DNS listens there: the address of the Service, and each pod on a node of its own. */
export function objectsOf(service: Endpoint, pods: readonly Endpoint[]): DnsObjects {
  return {
    services: async () => [kubeDns(service), API, cart],
    pods: async () => pods.map(podOf),
    addressesOfPodsOn: async () => [],
    endpoints: async () => pods.map(endpointOf),
    configMap: async () => ({ Corefile: STANDARD }),
    nodes: async () => pods.map((_, at) => ({ name: `n${at + 1}`, ready: true, addresses: [`192.0.2.${at + 1}`] })),
  }
}

const aService = (change: Partial<DnsService> & Pick<DnsService, 'namespace' | 'name' | 'addresses'>): DnsService => ({
  ports: [],
  outsideAddresses: [],
  isUneven: false,
  createdAt: '2026-01-01T00:00:00Z',
  ...change,
})

const kubeDns = ({ address, port }: Endpoint): DnsService =>
  aService({
    namespace: 'kube-system',
    name: 'kube-dns',
    addresses: [address],
    selector: { 'k8s-app': 'kube-dns' },
    ports: [{ name: 'dns', protocol: 'UDP', port, targetPort: '53' }],
  })
const API = aService({ namespace: 'default', name: 'kubernetes', addresses: [API_ADDRESS] })
const cart = aService({ ...NEWEST, addresses: [NEWEST.address], createdAt: '2026-02-01T00:00:00Z' })

const podOf = ({ address, port }: Endpoint, at: number): DnsPod => ({
  namespace: 'kube-system',
  name: `coredns-${at + 1}`,
  uid: `uid-${at + 1}`,
  node: `n${at + 1}`,
  addresses: [address],
  phase: 'Running',
  ready: true,
  terminating: false,
  udpPorts: [port],
  images: ['registry.example/coredns:v1.12.1'],
  configMaps: ['coredns'],
  endedBy: [],
})

const endpointOf = ({ address, port }: Endpoint, at: number): DnsEndpoint => ({
  addresses: [address],
  serving: true,
  udpPort: port,
  podUid: `uid-${at + 1}`,
})
