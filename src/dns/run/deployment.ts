import { present } from '../../ground/model/present.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { forwardsAll } from '../decide/corefile.ts'
import {
  behindCaches,
  findDnsService,
  METRICS_PORT,
  metricsPortOfCorefile,
  newestService,
  runsCoreDns,
  udpPort,
} from '../decide/find-dns-service.ts'
import type { AskedZone } from '../decide/ladder.ts'
import { cachesOfNodes, firstResolver, type PodResolver, resolverOfKubelet } from '../decide/pod-resolver.ts'
import type { DnsScene } from '../decide/scene.ts'
import { servedNames, servesApi } from '../decide/served-names.ts'
import type { DnsEndpoint, DnsPod, DnsService } from '../model/dns-objects.ts'
import type { DnsObjects } from '../ports/dns-objects.ts'
import { orNote } from './or-note.ts'
import { type OutsideAddress, waysIn } from './outside-of.ts'
import { type Corefiles, corefilesOf, isUnread, zoneOf } from './read-corefiles.ts'
import { dnsPortsOf, scenePod, servingOf } from './scene-pod.ts'

export interface Sought {
  readonly service?: { readonly namespace: string; readonly name: string }
  /** What the resolv.conf of this machine says, where it is a pod's. */
  readonly resolver?: PodResolver
  readonly zone?: string
  readonly outside?: string
}

/** The cluster's DNS as the API tells of it: who is to be asked, and what a right answer is. */
export interface Deployment {
  /** All of a scene but what is found out by asking. */
  readonly known: Omit<DnsScene, 'vantages' | 'paths' | 'api'>
  readonly askedZone: AskedZone
  /** Where the Service is asked: behind caches that answer in its place, where there are some. */
  readonly serviceAt: { readonly addresses: readonly string[]; readonly port: number }
  /** Where caches answer on each node that pods are sent to past the Service. */
  readonly cachesAt: readonly string[]
  readonly outsideAt: readonly OutsideAddress[]
  /** By which the Service picks its pods; empty where it has none. */
  readonly selector: Readonly<Record<string, string>>
  /** Where a pod may listen, whatever its endpoint says; by uid. */
  readonly dnsPorts: ReadonlyMap<string, readonly number[]>
  /** Where a pod may give its metrics, the likeliest port first; by uid. */
  readonly metricsPorts: ReadonlyMap<string, readonly number[]>
  /** No one said which zone it is, so that the default was taken. */
  readonly isZoneAssumed: boolean
  /** Where relays can run, of all nodes. */
  readonly readyNodes: readonly string[]
  /** How it was found, and what could not be read: sentences. */
  readonly notes: readonly string[]
}

const DNS_PORT = 53
const PORT_MAX = 65_535

/** Rejects with UserError where no Service is found, or where the identity may not list what it takes. */
export async function findDeployment(
  objects: DnsObjects,
  { sought, wallMs }: { readonly sought: Sought; readonly wallMs: number },
  signal: AbortSignal,
): Promise<Deployment> {
  const [services, resolvers] = await Promise.all([
    mayRead('list services', () => objects.services(signal)),
    resolversOf(objects, sought, signal),
  ])
  const resolver = firstResolver(resolvers)
  const found = findDnsService(services, { ...sought, addresses: resolver.addresses })
  if (found === undefined) throw noService(sought)
  const { service, why } = found
  const { namespace, name, selector } = service
  const dnsPort = udpPort(service)
  const [pods, endpoints, nodes] = await Promise.all([
    selector === undefined
      ? []
      : mayRead(`list pods in ${namespace}`, () => objects.pods({ namespace, selector }, signal)),
    mayRead(`list endpointslices in ${namespace}`, () =>
      objects.endpoints({ namespace, name, ...present({ portName: dnsPort?.name }) }, signal),
    ),
    orNote('nodes', () => objects.nodes(signal)),
  ])
  const corefiles = await corefilesOf({ objects, service, pods }, signal)
  const zone = zoneOf(corefiles, sought, resolver)
  const cache = behindCaches(services, service)
  const downNodes = new Set((nodes.value ?? []).flatMap(({ name, ready }) => (ready ? [] : [name])))
  const ways = waysIn(services, service, nodes.value ?? [])
  const bearing = new Set(pods.flatMap(({ node }) => node ?? []))
  return {
    known: {
      service: { ...sceneService(service, pods, endpoints), ...(ways.isLocal ? { isLocalOutside: true } : {}) },
      pods: pods
        .filter(({ phase }) => phase === 'Running')
        .map((pod) => scenePod(pod, { endpoints, service, wallMs, downNodes })),
      nodes: (nodes.value ?? []).filter(({ name }) => bearing.has(name)).map(({ name, ready }) => ({ name, ready })),
      nodeLocal: cache !== undefined,
      ...(isUnread(corefiles) ? { isCorefileUnread: true } : {}),
    },
    askedZone: {
      zone: zone.name,
      dnsService: service,
      ...askedNames({ services, corefiles, wallMs, zone: zone.name }),
      ...present({ outside: sought.outside }),
    },
    serviceAt: { addresses: (cache ?? service).addresses, port: dnsPort?.port ?? DNS_PORT },
    cachesAt: cachesOfNodes(resolvers, services),
    outsideAt: ways.at,
    selector: selector ?? {},
    dnsPorts: dnsPortsOf(pods, nodes.value ?? []),
    metricsPorts: metricsPortsOf(pods, corefiles),
    isZoneAssumed: zone.isAssumed,
    readyNodes: (nodes.value ?? [])
      .flatMap(({ name, ready, runsNoRelay }) => (ready && !runsNoRelay ? [name] : []))
      .toSorted(),
    notes: [
      `Service ${namespace}/${name}: ${why}`,
      `zone ${zone.name}: ${zone.why}`,
      ...(cache === undefined
        ? []
        : [`caches on the nodes answer for it; the DNS behind them is asked at ${cache.name}`]),
      ...ways.notes,
      ...podNotes(pods),
      ...(nodes.note === undefined ? [] : [nodes.note]),
      ...(zone.note === undefined ? [] : [zone.note]),
    ],
  }
}

interface NamesParts {
  readonly services: readonly DnsService[]
  readonly corefiles: Corefiles
  readonly wallMs: number
  readonly zone: string
}

/** Which names of the zone are asked for, as the API and the Corefile say. */
function askedNames({
  services,
  corefiles,
  wallMs,
  zone,
}: NamesParts): Omit<AskedZone, 'zone' | 'dnsService' | 'outside'> {
  const { texts } = corefiles
  const api = services.find((one) => one.namespace === 'default' && one.name === 'kubernetes')
  const served = texts.map(({ text }) => servedNames(text, zone)).find((one) => one !== undefined)
  const newest = newestService(services, { wallMs, ...present({ served }) })
  return {
    apiAddresses: api?.addresses ?? [],
    ...present({ newest }),
    ...(served === undefined || servesApi(served) ? {} : { hidesApi: true }),
    ...(served === undefined ? {} : { isServed: true }),
    ...(served?.fallsThrough || isUnread(corefiles) ? { fallsThrough: true } : {}),
    ...(texts.some(({ text }) => forwardsAll(text)) ? { forwards: true } : {}),
  }
}

function sceneService(
  service: DnsService,
  pods: readonly DnsPod[],
  endpoints: readonly DnsEndpoint[],
): DnsScene['service'] {
  const { namespace, name, addresses, ports, selector, isUneven, isLocal, isLocalOutside } = service
  const port = udpPort(service)?.port
  const tcpPort = ports.find((one) => one.protocol === 'TCP' && one.port === port)?.port
  return {
    namespace,
    name,
    addresses,
    ...present({ udpPort: port, tcpPort }),
    ...(selector === undefined ? {} : { selected: pods.length, pending: pods.filter(isPending).length }),
    serving: servingOf(endpoints),
    isUneven,
    ...present({ isLocal, isLocalOutside }),
  }
}

const isPending = ({ phase, terminating }: DnsPod): boolean => phase === 'Pending' && !terminating

function podNotes(pods: readonly DnsPod[]): readonly string[] {
  if (pods.length === 0) return ['the cluster lists no pods behind it: DNS is managed elsewhere, or no pod runs']
  return [
    ...(pods.some(runsCoreDns) ? [] : ['its pods do not run an image called coredns']),
    ...pods.flatMap(({ name, endedBy }) =>
      endedBy.includes('OOMKilled') ? [`${name} ran out of memory and was killed (OOMKilled)`] : [],
    ),
  ]
}

/** Where kubeadm keeps the configuration of kubelets. */
const KUBELET_CONFIG = { namespace: 'kube-system', name: 'kubelet-config' }

/** Where pods send their queries, as far as that can be read: what it adds is never needed. */
async function resolversOf(
  objects: DnsObjects,
  { resolver, service }: Sought,
  signal: AbortSignal,
): Promise<readonly PodResolver[]> {
  const own = resolver === undefined ? [] : [resolver]
  if (service !== undefined) return own
  const { value } = await orNote('kubelet-config', () => objects.configMap(KUBELET_CONFIG, signal))
  return [...own, ...(value?.kubelet === undefined ? [] : [resolverOfKubelet(value.kubelet)])]
}

/** The container port may be that of a proxy which wants a credential, while the Corefile names one on the pod’s loopback. */
function metricsPortsOf(pods: readonly DnsPod[], { texts }: Corefiles): Deployment['metricsPorts'] {
  const byCorefile = texts.flatMap(({ text }) => metricsPortOfCorefile(text) ?? [])
  const isPort = (port: number | undefined): port is number => port !== undefined && port > 0 && port <= PORT_MAX
  return new Map(
    pods.map(({ uid, metricsPort }) => [uid, [...new Set([metricsPort, ...byCorefile, METRICS_PORT].filter(isPort))]]),
  )
}

/** What a check cannot do without. */
async function mayRead<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof WorldError) || error.code !== 'KUBE_FORBIDDEN') throw error
    throw new UserError(`this identity is not allowed to ${what}`, {
      code: 'dns.forbidden',
      fix: say`${kubectl`apply -f deploy/dns-rbac.yaml`}, and bind it to this identity`,
      cause: error,
    })
  }
}

const noService = ({ service }: Sought): UserError =>
  service === undefined
    ? new UserError('no Service of this cluster looks like its DNS: none has a UDP port for DNS', {
        code: 'dns.no-service',
        fix: 'name it with --service NAMESPACE/NAME; a DNS that is managed outside the cluster has no Service and cannot be checked',
      })
    : new UserError(`there is no Service ${service.namespace}/${service.name}`, {
        code: 'dns.no-service',
        fix: say`${kubectl`get services -A`}, or omit --service to have it looked up`,
      })
