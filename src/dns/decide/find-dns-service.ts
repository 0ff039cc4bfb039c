import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { DnsPod, DnsService, DnsServicePort } from '../model/dns-objects.ts'
import { wordsOfCorefile } from './corefile.ts'
import type { ServedNames } from './served-names.ts'

/** Names that distributions give it, in kube-system, openshift-dns or where a chart put it. */
export const DNS_SERVICE_NAMES: readonly string[] = ['kube-dns', 'coredns', 'rke2-coredns-rke2-coredns', 'dns-default']
/** The Service by which NodeLocal DNSCache asks CoreDNS, with the labels of the real one. */
const UPSTREAM_OF_CACHE = 'kube-dns-upstream'
const DNS_PORT = 53

interface Wanted {
  /** The Service that a person named. */
  readonly service?: { readonly namespace: string; readonly name: string }
  /** Where pods send their queries, by a pod's resolv.conf or by the configuration of kubelets. */
  readonly addresses?: readonly string[]
}

/** Which Service is the cluster's DNS, and why it is taken for it; undefined where none can be. */
export function findDnsService(
  services: readonly DnsService[],
  { service, addresses: wanted = [] }: Wanted,
): { readonly service: DnsService; readonly why: string } | undefined {
  if (service !== undefined) {
    const named = services.find((one) => one.namespace === service.namespace && one.name === service.name)
    return named && { service: named, why: 'you named it' }
  }
  for (const address of wanted) {
    const at = canonicalAddress(address)
    const asked = services.find(({ addresses }) => addresses.some((one) => canonicalAddress(one) === at))
    if (asked !== undefined) return { service: asked, why: `pods send their queries to ${address}` }
  }
  const possible = services.filter((one) => one.name !== UPSTREAM_OF_CACHE && udpPort(one) !== undefined)
  const named = DNS_SERVICE_NAMES.flatMap((name) => possible.filter((one) => one.name === name)).toSorted(
    systemFirst,
  )[0]
  if (named !== undefined) return { service: named, why: `a Service of that name with a UDP port is the cluster’s DNS` }
  // Its UDP port may be what is missing. Another Service with such a port is no better guess than its name.
  const withoutUdp = services.find(
    ({ namespace, name, selector }) => namespace === SYSTEM && DNS_SERVICE_NAMES.includes(name) && selector,
  )
  if (withoutUdp !== undefined)
    return { service: withoutUdp, why: 'a Service of that name is the cluster’s DNS, also without a UDP port for DNS' }
  const byPort = possible.toSorted(systemFirst)[0]
  return byPort && { service: byPort, why: 'it is the one with a UDP port for DNS' }
}

const SYSTEM = 'kube-system'

const systemFirst = (left: DnsService, right: DnsService): number =>
  Number(right.namespace === SYSTEM) - Number(left.namespace === SYSTEM)

/** The port over UDP by which DNS is asked. */
export const udpPort = ({ ports }: DnsService): DnsServicePort | undefined =>
  ports.find(({ protocol, port }) => protocol === 'UDP' && port === DNS_PORT) ??
  ports.find(({ protocol, name }) => protocol === 'UDP' && name.startsWith('dns'))

/** Where a cache on each node answers in place of the Service, the Service behind it. */
export const behindCaches = (services: readonly DnsService[], { namespace }: DnsService): DnsService | undefined =>
  services.find((one) => one.namespace === namespace && one.name === UPSTREAM_OF_CACHE)

export const runsCoreDns = ({ images }: DnsPod): boolean =>
  images.some((image) => /(?:^|[/-])coredns(?:[:@/-]|$)/.test(image))

/** The default port of the `prometheus` plugin. */
export const METRICS_PORT = 9153

/** The port of CoreDNS's metrics by its Corefile; undefined if the Corefile names none. */
export function metricsPortOfCorefile(text: string): number | undefined {
  for (const [word, address] of wordsOfCorefile(text)) {
    if (word === 'prometheus')
      return address === undefined ? METRICS_PORT : Number(/:(\d{1,5})$/.exec(address)?.[1] ?? METRICS_PORT)
  }
  return undefined
}

/**
 * A Service that is younger than this may not have reached every CoreDNS yet: where the API server was away, client-go waits up to 60 s before it
 * opens its watch again.
 */
const HEARD_WITHIN_MS = 75_000

interface ServiceAge {
  readonly wallMs: number
  /** What the Corefile says. Absent: it was not read. */
  readonly served?: ServedNames
}

/**
 * The newest Service that each CoreDNS must know by now. Undefined if the Corefile hides Services, since nobody knows which ones.
 */
export function newestService(services: readonly DnsService[], { wallMs, served }: ServiceAge): DnsService | undefined {
  if (served !== undefined && served.hides !== 'nothing') return undefined
  return services
    .filter(({ namespace }) => served?.namespaces?.includes(namespace) ?? true)
    .filter(({ addresses, createdAt }) => addresses.length > 0 && wallMs - Date.parse(createdAt) >= HEARD_WITHIN_MS)
    .toSorted((left, right) => Date.parse(right.createdAt) - Date.parse(left.createdAt))[0]
}
