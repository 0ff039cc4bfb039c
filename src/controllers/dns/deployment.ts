import {
  behindCaches,
  findDnsService,
  newestService,
  runsCoreDns,
  udpPort,
  zoneOfCorefile,
} from '../../core/dns/find-dns-service.ts'
import type { ZoneFacts } from '../../core/dns/ladder.ts'
import type { DnsPodFacts, DnsScene } from '../../core/dns/scene.ts'
import type { DnsEndpoint, DnsPod, DnsService } from '../../model/dns-objects.ts'
import { UserError } from '../../model/user-error.ts'
import { WorldError } from '../../model/world-error.ts'
import type { DnsObjects } from '../../ports/dns-objects.ts'

export interface Sought {
  readonly service?: { readonly namespace: string; readonly name: string }
  /** What this machine's resolv.conf names, where it is a pod's. */
  readonly address?: string
  readonly zone?: string
  readonly outside?: string
}

/** The cluster's DNS as the API tells of it: who is to be asked, and what a right answer is. */
export interface Deployment {
  /** All of a scene but what is found out by asking. */
  readonly known: Omit<DnsScene, 'vantages' | 'paths' | 'api'>
  readonly facts: ZoneFacts
  /** Where the Service is asked: behind caches that answer in its place, where there are some. */
  readonly serviceAt: { readonly addresses: readonly string[]; readonly port: number }
  readonly outsideAt: readonly { readonly address: string; readonly port: number }[]
  /** By which the Service picks its pods; empty where it has none. */
  readonly selector: Readonly<Record<string, string>>
  /** No Corefile could be read that names the zone. */
  readonly isZoneAssumed: boolean
  /** Of all nodes. */
  readonly readyNodes: readonly string[]
  /** How it was found, and what could not be read: sentences. */
  readonly notes: readonly string[]
}

const DEFAULT_ZONE = 'cluster.local'
const DNS_PORT = 53

/** Rejects with UserError where no Service is found, or where the identity may not list what it takes. */
export async function findDeployment(
  objects: DnsObjects,
  { sought, wallMs }: { readonly sought: Sought; readonly wallMs: number },
  signal: AbortSignal,
): Promise<Deployment> {
  const services = await mayRead('list services', () => objects.services(signal))
  const found = findDnsService(services, sought)
  if (found === undefined) throw noService(sought)
  const { service, why } = found
  const { namespace, selector } = service
  const [pods, endpoints, nodes] = await Promise.all([
    selector === undefined
      ? []
      : mayRead(`list pods in ${namespace}`, () => objects.pods({ namespace, selector }, signal)),
    mayRead(`list endpointslices in ${namespace}`, () => objects.endpoints(service, signal)),
    orNote('nodes', () => objects.nodes(signal)),
  ])
  const zone = await zoneOf({ objects, service, pods, sought }, signal)
  const cache = behindCaches(services, service)
  const port = udpPort(service)?.port
  const api = services.find((one) => one.namespace === 'default' && one.name === 'kubernetes')
  const newest = newestService(services, wallMs)
  const bearing = new Set(pods.flatMap(({ node }) => node ?? []))
  return {
    known: {
      service: {
        namespace,
        name: service.name,
        addresses: service.addresses,
        ...(port === undefined ? {} : { udpPort: port }),
        ...(selector === undefined ? {} : { selected: pods.length }),
        serving: endpoints.filter(({ serving, udpPort: has }) => serving && has !== undefined).length,
        isUneven: service.isUneven,
      },
      pods: pods.filter(({ phase }) => phase === 'Running').map((pod) => podFacts(pod, endpoints, service)),
      nodes: (nodes.value ?? []).filter(({ name }) => bearing.has(name)).map(({ name, ready }) => ({ name, ready })),
      nodeLocal: cache !== undefined,
    },
    facts: {
      zone: zone.name,
      apiAddresses: api?.addresses ?? [],
      dnsService: service,
      ...(newest === undefined ? {} : { newest }),
      ...(sought.outside === undefined ? {} : { outside: sought.outside }),
    },
    serviceAt: { addresses: (cache ?? service).addresses, port: port ?? DNS_PORT },
    outsideAt: outsideOf(service, nodes.value ?? []),
    selector: selector ?? {},
    isZoneAssumed: zone.isAssumed,
    readyNodes: (nodes.value ?? []).flatMap(({ name, ready }) => (ready ? [name] : [])).toSorted(),
    notes: [
      `Service ${namespace}/${service.name}: ${why}`,
      `zone ${zone.name}: ${zone.why}`,
      ...(cache === undefined
        ? []
        : [`caches on the nodes answer in its place; what is behind them is asked at ${cache.name}`]),
      ...(pods.length > 0 && !pods.some(runsCoreDns) ? ['its pods do not run an image called coredns'] : []),
      ...(pods.length === 0 ? ['the cluster lists no pods behind it: DNS is managed elsewhere, or no pod runs'] : []),
      ...pods.flatMap(({ name, endedBy }) =>
        endedBy.includes('OOMKilled') ? [`${name} was ended for its memory (OOMKilled)`] : [],
      ),
      ...(nodes.note === undefined ? [] : [nodes.note]),
      ...(zone.note === undefined ? [] : [zone.note]),
    ],
  }
}

function podFacts(pod: DnsPod, endpoints: readonly DnsEndpoint[], service: DnsService): DnsPodFacts {
  const { name, uid, node, addresses, ready, terminating } = pod
  const endpoint = endpoints.find(({ podUid }) => podUid === uid)
  const target = Number(udpPort(service)?.targetPort)
  return {
    name,
    uid,
    ...(node === undefined ? {} : { node }),
    addresses,
    port: endpoint?.udpPort ?? (Number.isInteger(target) && target > 0 ? target : DNS_PORT),
    ready,
    terminating,
    endpoint: endpoint === undefined ? 'absent' : endpoint.serving ? 'serving' : 'notServing',
  }
}

function outsideOf(service: DnsService, nodes: readonly { readonly addresses: readonly string[] }[]) {
  const port = udpPort(service)
  if (port === undefined) return []
  const { nodePort } = port
  return [
    ...service.outsideAddresses.map((address) => ({ address, port: port.port })),
    ...(nodePort === undefined
      ? []
      : nodes.flatMap(({ addresses }) => addresses.slice(0, 1).map((address) => ({ address, port: nodePort })))),
  ]
}

interface ZoneParts {
  readonly objects: DnsObjects
  readonly service: DnsService
  readonly pods: readonly DnsPod[]
  readonly sought: Sought
}

async function zoneOf({ objects, service, pods, sought }: ZoneParts, signal: AbortSignal) {
  if (sought.zone !== undefined) return { name: sought.zone, why: 'you named it', isAssumed: false }
  const { namespace } = service
  const mounted = [...new Set(pods.flatMap(({ configMaps }) => configMaps))]
  let note: string | undefined
  for (const name of mounted) {
    const { value, note: refused } = await orNote(`ConfigMap ${namespace}/${name}`, () =>
      objects.configMap({ namespace, name }, signal),
    )
    note ??= refused
    const zone = Object.values(value ?? {}).flatMap((text) => zoneOfCorefile(text) ?? [])[0]
    if (zone !== undefined)
      return { name: zone, why: `the Corefile of ConfigMap ${namespace}/${name} says so`, isAssumed: false }
  }
  return {
    name: DEFAULT_ZONE,
    why: 'assumed, since no Corefile could be read that names it',
    isAssumed: true,
    ...(note === undefined ? {} : { note }),
  }
}

/** What a check cannot do without. */
async function mayRead<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof WorldError) || error.code !== 'KUBE_FORBIDDEN') throw error
    throw new UserError(`this identity may not ${what}`, {
      code: 'dns.forbidden',
      fix: 'kubectl apply -f deploy/dns-rbac.yaml, and bind it to this identity',
      cause: error,
    })
  }
}

/** What a check can do without, and says so. */
async function orNote<T>(
  what: string,
  read: () => Promise<T>,
): Promise<{ readonly value?: T; readonly note?: string }> {
  try {
    return { value: await read() }
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    return { note: `${what} could not be read: ${error.message}` }
  }
}

const noService = ({ service }: Sought): UserError =>
  service === undefined
    ? new UserError('no Service of this cluster looks like its DNS: none has a UDP port for it', {
        code: 'dns.no-service',
        fix: 'name it with --service NAMESPACE/NAME',
      })
    : new UserError(`there is no Service ${service.namespace}/${service.name}`, {
        code: 'dns.no-service',
        fix: 'kubectl get services -A, or leave --service away to have it looked for',
      })
