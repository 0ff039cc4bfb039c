import type { Answer } from 'dns-packet'
import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { ServiceObject } from '../actors/service-endpoints.ts'
import type { ApiObject } from '../world/api-object.ts'
import { SERVICES } from '../world/api-resource.ts'
import { type WatchEvent, watchObjects } from '../world/watch-objects.ts'
import type { World } from '../world/world.ts'

export interface ZoneQuestion {
  readonly name: string
  readonly type: string
  readonly class: string
}

export interface ZoneAnswer {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'REFUSED' | 'SERVFAIL'
  /** The zone is its own: what it says of it is said with authority. */
  readonly isAuthoritative: boolean
  readonly answers: readonly Answer[]
  readonly authorities: readonly Answer[]
}

/** As the Corefile has them. */
interface ZoneOptions {
  readonly zone: string
  /** What is of no zone of its own goes to other servers. */
  readonly forwards?: boolean
  /** Services of these alone have names; of all where it is left out. */
  readonly namespaces?: readonly string[]
  /** So does what the zone does not have. */
  readonly fallsThrough?: boolean
}

/** The version of the scheme (github.com/kubernetes/dns, docs/specification.md 2.2). */
const SCHEME = '1.1.0'
/** As kubeadm writes it into the Corefile. */
const TTL_SECONDS = 30
const POD_NAME = /^(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})$/
const REVERSE = ['.in-addr.arpa', '.ip6.arpa']

const REFUSED: ZoneAnswer = { rcode: 'REFUSED', isAuthoritative: false, answers: [], authorities: [] }

/**
 * The zone of a cluster as CoreDNS answers it (plugin `kubernetes` with `pods insecure`), from a watch of Services: their
 * cluster IPs, names of pods, the reverse zone, and authoritative negative answers. It has no endpoints of headless Services. What is no
 * name of the cluster is for other servers, where it forwards.
 */
export class ClusterZone {
  readonly #zone: string
  /** Of what is of no zone of its own: `forward` sends it on, whatever its class; without it, CoreDNS refuses. */
  readonly #elsewhere: ZoneAnswer | undefined
  /** Of what the zone does not have. */
  readonly #fallsThrough: boolean
  readonly #services = new Map<string, ServiceObject>()
  readonly #endWatch: () => void

  constructor(world: World, { zone, forwards = false, namespaces, fallsThrough = false }: ZoneOptions) {
    this.#zone = zone
    this.#elsewhere = forwards ? undefined : REFUSED
    this.#fallsThrough = fallsThrough && forwards
    const matches = ({ metadata: { namespace = '' } }: ApiObject): boolean => namespaces?.includes(namespace) ?? true
    this.#endWatch = watchObjects(world, { resource: SERVICES, matches }, (event) => this.#take(event))
  }

  end(): void {
    this.#endWatch()
  }

  /** Undefined: the servers that it forwards to are to be asked. */
  answer({ name, type, class: ofClass }: ZoneQuestion): ZoneAnswer | undefined {
    // Without the plugin `chaos` no zone of CoreDNS is of another class.
    if (ofClass !== 'IN') return this.#elsewhere
    const asked = name.toLowerCase().replace(/\.$/, '')
    if (REVERSE.some((zone) => asked.endsWith(zone))) return this.#reverse(asked, type)
    if (asked !== this.#zone && !asked.endsWith(`.${this.#zone}`)) return this.#elsewhere
    const records = this.#recordsOf(asked, name)
    if (records === undefined) return this.#fallsThrough ? undefined : this.#said('NXDOMAIN', [])
    return this.#said(
      'NOERROR',
      records.filter((record) => record.type === type),
    )
  }

  /** Every record of that name; undefined: there is no such name. */
  #recordsOf(asked: string, name: string): readonly Answer[] | undefined {
    if (asked === this.#zone) return [this.#authority()]
    const labels = asked.slice(0, -this.#zone.length - 1).split('.')
    if (labels.join('.') === 'dns-version') return [{ name, type: 'TXT', ttl: TTL_SECONDS, data: SCHEME }]
    const [object = '', namespace = '', kind = '', ...more] = labels
    if (more.length > 0) return undefined
    if (kind === 'pod') {
      const octets = POD_NAME.exec(object)?.slice(1).map(Number)
      if (octets === undefined || octets.some((octet) => octet > 255)) return undefined
      return [{ name, type: 'A', ttl: TTL_SECONDS, data: octets.join('.') }]
    }
    const service = kind === 'svc' ? this.#services.get(`${namespace}/${object}`) : undefined
    if (service === undefined) return undefined
    return addressesOf(service).map((data) => ({
      name,
      type: data.includes(':') ? 'AAAA' : 'A',
      ttl: TTL_SECONDS,
      data,
    }))
  }

  #reverse(asked: string, type: string): ZoneAnswer | undefined {
    const found = [...this.#services.values()].find((service) =>
      addressesOf(service).some((address) => reverseOf(address) === asked),
    )
    // The reverse zones fall through.
    if (found === undefined) return this.#elsewhere === undefined ? undefined : this.#said('NXDOMAIN', [])
    const { name, namespace = '' } = found.metadata
    const data = `${name}.${namespace}.svc.${this.#zone}`
    return this.#said('NOERROR', type === 'PTR' ? [{ name: asked, type: 'PTR', ttl: TTL_SECONDS, data }] : [])
  }

  /** An answer without a record has the zone's SOA, too (RFC 2308 2.2). */
  #said(rcode: ZoneAnswer['rcode'], answers: readonly Answer[]): ZoneAnswer {
    const authorities = answers.length === 0 ? [this.#authority()] : []
    return { rcode, isAuthoritative: true, answers, authorities }
  }

  #authority(): Answer {
    const timers = { serial: 1, refresh: 7_200, retry: 1_800, expire: 86_400, minimum: TTL_SECONDS }
    const data = { mname: `ns.dns.${this.#zone}`, rname: `hostmaster.${this.#zone}`, ...timers }
    return { name: this.#zone, type: 'SOA', ttl: TTL_SECONDS, data }
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'BOOKMARK' || type === 'ERROR') return
    const service = object as ApiObject as ServiceObject
    const { namespace = '', name } = service.metadata
    const key = `${namespace}/${name}`
    if (type === 'DELETED') this.#services.delete(key)
    else this.#services.set(key, service)
  }
}

/** None: it is headless, or was given none. */
const addressesOf = ({ spec: { clusterIP = '', clusterIPs = [clusterIP] } }: ServiceObject): readonly string[] =>
  clusterIPs.filter((address) => address !== '' && address !== 'None')

/** RFC 1035 3.5, RFC 3596 2.5. */
function reverseOf(address: string): string {
  if (!address.includes(':')) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`
  const groups = canonicalAddress(address).split(':')
  const digits = groups.map((group) => group.padStart(4, '0')).join('')
  return `${[...digits].toReversed().join('.')}.ip6.arpa`
}
