import { present } from '../../ground/model/present.ts'
import { udpPort } from '../decide/find-dns-service.ts'
import type { ScenePod } from '../decide/scene.ts'
import type { DnsEndpoint, DnsNode, DnsPod, DnsService } from '../model/dns-objects.ts'

const DNS_PORT = 53

/** Pods that serve, and endpoints without a pod: a Service of both families has an endpoint of each for one pod. */
export function servingOf(endpoints: readonly DnsEndpoint[]): number {
  const serving = endpoints.filter(({ serving: serves, udpPort: port }) => serves && port !== undefined)
  const podless = serving.flatMap(({ podUid, addresses }) => (podUid === undefined ? addresses.slice(0, 1) : []))
  const [v6, v4] = [true, false].map((is6) => new Set(podless.filter((address) => address.includes(':') === is6)).size)
  return new Set(serving.flatMap(({ podUid }) => podUid ?? [])).size + Math.max(v6 ?? 0, v4 ?? 0)
}

interface Around {
  readonly endpoints: readonly DnsEndpoint[]
  readonly service: DnsService
  readonly wallMs: number
  /** What its kubelet says of a pod is old news where the node is not Ready. */
  readonly downNodes: ReadonlySet<string>
}

export function scenePod(pod: DnsPod, { endpoints, service, wallMs, downNodes }: Around): ScenePod {
  const { name, uid, node, ready, terminating } = pod
  const endpoint = endpoints.find(({ podUid }) => podUid === uid)
  const target = Number(udpPort(service)?.targetPort)
  return {
    name,
    uid,
    ...present({ node }),
    addresses: ofFamilies(pod, service),
    port: endpoint?.udpPort ?? (Number.isInteger(target) && target > 0 ? target : DNS_PORT),
    ready,
    terminating,
    endpoint: endpoint === undefined ? 'absent' : endpoint.serving ? 'serving' : 'notServing',
    ...(hasJustStarted(pod, wallMs) ? { justStarted: true } : {}),
    ...(ready || endpoint?.serving === true || downNodes.has(node ?? '') ? {} : awayOf(pod, wallMs)),
  }
}

/** The Service leads its clients to addresses of its own families alone. */
function ofFamilies({ addresses }: DnsPod, service: DnsService): readonly string[] {
  const isOfService = (address: string): boolean =>
    service.addresses.some((one) => one.includes(':') === address.includes(':'))
  const led = addresses.filter(isOfService)
  return led.length > 0 ? led : addresses
}

/**
 * Where a pod may listen, by its uid. Left out is a pod that has the address of its node: another server of the node may answer there
 * at other ports.
 */
export function dnsPortsOf(pods: readonly DnsPod[], nodes: readonly DnsNode[]): ReadonlyMap<string, readonly number[]> {
  const ofNodes = new Set(nodes.flatMap(({ addresses }) => addresses))
  return new Map(
    pods
      .filter(({ addresses }) => !addresses.some((address) => ofNodes.has(address)))
      .map(({ uid, udpPorts = [] }) => [uid, [...new Set([...udpPorts, DNS_PORT])]]),
  )
}

/** CoreDNS listens within a second or two, and lists a large cluster within some more. */
const STARTS_WITHIN_MS = 60_000

/** A time to come, of a clock that is ahead, says nothing of how long the container has run: it may have begun just now. */
const hasJustStarted = ({ runningSince }: DnsPod, wallMs: number): boolean =>
  runningSince !== undefined && !(wallMs - Date.parse(runningSince) >= STARTS_WITHIN_MS)

function awayOf(pod: DnsPod, wallMs: number): Pick<ScenePod, 'isAway' | 'endedBy'> {
  const { runningSince, endedBy } = pod
  if (runningSince === undefined) return { isAway: 'down', ...(endedBy.length === 0 ? {} : { endedBy }) }
  return hasJustStarted(pod, wallMs) ? { isAway: 'starting' } : {}
}
