import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { canonicalDnsName, type DnsQuestion, type DnsReply, type DnsType, reverseName } from '../model/dns.ts'

/** What a right answer is judged by, as the API says it. */
export interface AskedZone {
  /** The cluster domain, `cluster.local` by default. */
  readonly zone: string
  /** The cluster IPs of Service default/kubernetes. */
  readonly apiAddresses: readonly string[]
  /** The Corefile leaves that Service out, or may: its name is not asked for. */
  readonly hidesApi?: true
  readonly dnsService: { readonly namespace: string; readonly name: string; readonly addresses: readonly string[] }
  /** A Service that was made not long ago: a server without it has lost its watch. Absent: none is new enough. */
  readonly newest?: { readonly namespace: string; readonly name: string; readonly addresses: readonly string[] }
  /**
   * What it does not know of the zone it asks of other servers, or may, by a Corefile that could not be read: that a name is not there is then
   * said without authority.
   */
  readonly fallsThrough?: true
  /** Its Corefile has the plugin kubernetes for the zone. Absent: that is not known. */
  readonly isServed?: true
  /** By its Corefile it asks other servers for names outside of the cluster. */
  readonly forwards?: true
  /** A name outside of the cluster that the operator named. */
  readonly outside?: string
}

/** Chance that a question takes in, so that no cache can know its answer. */
export interface Nonce {
  /** Lower-case hex, 12 digits at least. */
  readonly hex: string
}

/** What is wrong with an answer that came. */
export type DataFault = 'noKubernetes' | 'unsynced' | 'wrongZone' | 'wrongAnswer' | 'stale' | 'refused' | 'upstream'

export type RungReading =
  | { readonly kind: 'right' }
  /** The server is set up so that this question proves nothing. */
  | { readonly kind: 'moot'; readonly text: string }
  | { readonly kind: 'wrong'; readonly fault: DataFault; readonly text: string }

/**
 * Who answers. `itself`: the server, whatever the servers that it forwards to do. `zone`: the server, if it serves the zone. `others`:
 * perhaps a server that it forwards to.
 */
export type AnsweredBy = 'itself' | 'zone' | 'others'

export interface Rung {
  readonly id: 'L0' | 'L1' | 'L2' | 'L3' | 'L4' | 'L5' | 'L6' | 'L7' | 'L8'
  readonly over: 'udp' | 'tcp'
  /** What a right answer proves. */
  readonly proves: string
  readonly answeredBy: (asked: AskedZone) => AnsweredBy
  /** Undefined where this cluster gives nothing to ask for. */
  readonly question: (asked: AskedZone, nonce: Nonce) => DnsQuestion | undefined
  readonly read: (reply: DnsReply, asked: AskedZone, nonce: Nonce) => RungReading
}

const RIGHT: RungReading = { kind: 'right' }
const wrong = (fault: DataFault, text: string): RungReading => ({ kind: 'wrong', fault, text })

const inName = (name: string, type: DnsType): DnsQuestion => ({ name, type, class: 'IN' })
const typeOf = (addresses: readonly string[]): 'A' | 'AAAA' =>
  addresses.every((address) => address.includes(':')) ? 'AAAA' : 'A'
const ofType = (addresses: readonly string[], type: 'A' | 'AAAA'): readonly string[] =>
  addresses.filter((address) => address.includes(':') === (type === 'AAAA')).map(canonicalAddress)

const dataOf = (reply: DnsReply, type: string): readonly string[] =>
  reply.answers.filter((record) => record.type === type).map(({ data }) => data)

/** Not to this place, or not for this zone: the server says nothing of what it knows. */
const refused = (what: string): RungReading => wrong('refused', `REFUSED for ${what}`)

/** Whether the answer is these addresses, and what is wrong where it is not. */
function readAddresses(reply: DnsReply, addresses: readonly string[], what: string): RungReading {
  const type = typeOf(addresses)
  if (reply.rcode === 'REFUSED') return refused(what)
  if (reply.rcode === 'SERVFAIL') return wrong('unsynced', `SERVFAIL for ${what}`)
  if (reply.rcode !== 'NOERROR') return wrong('wrongZone', `${reply.rcode} for ${what}`)
  const [wanted, found] = [ofType(addresses, type), dataOf(reply, type).map(canonicalAddress)]
  if (found.length > 0 && found.every((address) => wanted.includes(address))) return RIGHT
  return wrong('wrongAnswer', `${found.join(', ') || 'no address'} for ${what}, which has ${wanted.join(', ')}`)
}

/** 10.a.b.c from chance: `pods insecure` gives back whatever address the name says. */
function podAddress({ hex }: Nonce): string {
  const octets = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return `10.${octets.join('.')}`
}

/** A Service that a server which has listed Services is sure to know. Undefined: the Corefile may hide each one. */
const listedService = ({ apiAddresses, hidesApi, newest }: AskedZone): AskedZone['newest'] =>
  hidesApi ? newest : { namespace: 'default', name: 'kubernetes', addresses: apiAddresses }

const serviceName = ({ namespace, name }: { readonly namespace: string; readonly name: string }, zone: string) =>
  `${name}.${namespace}.svc.${zone}`

const ofZone = ({ isServed }: AskedZone): AnsweredBy => (isServed ? 'itself' : 'zone')
/** What the zone does not have may be asked of others. */
const ofZoneAlone = (asked: AskedZone): AnsweredBy => (asked.fallsThrough ? 'others' : ofZone(asked))

const versionName = ({ zone }: Pick<AskedZone, 'zone'>): string => `dns-version.${zone}`

/**
 * What CoreDNS answers before it looks at its Corefile, since its first version. It hands a question of another class (`id.server`) on
 * where it forwards, and is then as silent as the servers there. A server that knows nothing of versions answers the name.
 */
export const livenessQuestion = (asked: Pick<AskedZone, 'zone'>): DnsQuestion => ({
  ...inName(versionName(asked), 'TXT'),
  edns: 1,
})

/** No one may have it (RFC 6761 6.4), so that servers on the way know that it does not exist. No cache can know it. */
const nowhere = ({ hex }: Nonce): string => `evenkeel-${hex}.invalid`

const ZONE_VERSION: Pick<Rung, 'answeredBy' | 'question' | 'read'> = {
  answeredBy: ofZone,
  question: (asked) => inName(versionName(asked), 'TXT'),
  read: (reply, asked) => {
    if (reply.rcode === 'REFUSED') return refused(versionName(asked))
    return reply.rcode === 'NOERROR' && dataOf(reply, 'TXT').length > 0
      ? RIGHT
      : wrong('noKubernetes', `${reply.rcode} for ${versionName(asked)}`)
  },
}

/** Where no Service is sure to be known, a name that the zone always has. */
const LISTED_SERVICE: Pick<Rung, 'answeredBy' | 'question' | 'read'> = {
  answeredBy: ofZone,
  question: (asked, nonce) => {
    const service = listedService(asked)
    if (service === undefined) return ZONE_VERSION.question(asked, nonce)
    return inName(serviceName(service, asked.zone), typeOf(service.addresses))
  },
  read: (reply, asked, nonce) => {
    const service = listedService(asked)
    if (service === undefined) return ZONE_VERSION.read(reply, asked, nonce)
    return readAddresses(reply, service.addresses, serviceName(service, asked.zone))
  },
}

/** From the cheapest to what takes most: each proves more of the server than the one before it. */
export const LADDER: readonly Rung[] = [
  {
    id: 'L0',
    over: 'udp',
    proves: 'its socket, its parser and the way back',
    answeredBy: () => 'itself',
    question: livenessQuestion,
    // Whatever it says, it lives.
    read: () => RIGHT,
  },
  {
    id: 'L1',
    over: 'udp',
    proves: 'the kubernetes plugin is loaded for this zone',
    ...ZONE_VERSION,
  },
  { id: 'L2', over: 'udp', proves: 'it has listed Services from the API', ...LISTED_SERVICE },
  {
    id: 'L3',
    over: 'udp',
    proves: 'an answer that no cache can have',
    answeredBy: ofZoneAlone,
    question: ({ zone, dnsService }, nonce) =>
      inName(`${podAddress(nonce).replaceAll('.', '-')}.${dnsService.namespace}.pod.${zone}`, 'A'),
    read: (reply, { fallsThrough }, nonce) => {
      if (fallsThrough && reply.rcode === 'SERVFAIL')
        return { kind: 'moot', text: 'SERVFAIL for a name of a pod, of another server' }
      if (reply.rcode === 'SERVFAIL') return wrong('unsynced', 'SERVFAIL for a name of a pod')
      const found = dataOf(reply, 'A')
      if (found.length === 0)
        return { kind: 'moot', text: 'it does not answer for a pod that does not exist (pods is not insecure)' }
      return found.every((address) => address === podAddress(nonce))
        ? RIGHT
        : wrong('wrongAnswer', `${found.join(', ')} for the pod name of ${podAddress(nonce)}`)
    },
  },
  {
    id: 'L4',
    over: 'udp',
    proves: 'it still learns of new Services',
    answeredBy: ofZoneAlone,
    question: ({ zone, newest }) =>
      newest === undefined ? undefined : inName(serviceName(newest, zone), typeOf(newest.addresses)),
    read: (reply, { newest }) => {
      if (newest === undefined) return { kind: 'moot', text: 'there is no new Service' }
      const reading = readAddresses(reply, newest.addresses, `Service ${newest.namespace}/${newest.name}`)
      if (reading.kind !== 'wrong' || reading.fault === 'unsynced' || reading.fault === 'refused') return reading
      return wrong('stale', reading.text)
    },
  },
  {
    id: 'L5',
    over: 'udp',
    proves: 'it answers with authority that a name does not exist',
    answeredBy: ofZoneAlone,
    question: ({ zone }, { hex }) => inName(`evenkeel-${hex}.default.svc.${zone}`, 'A'),
    read: ({ rcode, authoritative, authorities, answers }, { fallsThrough }) => {
      if (fallsThrough && rcode === 'NXDOMAIN') return RIGHT
      if (fallsThrough && (rcode === 'SERVFAIL' || rcode === 'REFUSED'))
        return { kind: 'moot', text: `${rcode} for a Service that is not there, of another server` }
      if (rcode === 'REFUSED') return refused('a Service that is not there')
      if (rcode === 'SERVFAIL') return wrong('unsynced', 'SERVFAIL for a Service that is not there')
      if (rcode === 'NXDOMAIN' && authoritative && authorities.some(({ type }) => type === 'SOA')) return RIGHT
      const found = answers.length > 0 ? `${answers.length} records` : `${rcode} without authority`
      return wrong('wrongAnswer', `${found} for a Service that is not there`)
    },
  },
  {
    id: 'L6',
    over: 'udp',
    proves: 'its reverse zone',
    // Corefiles may leave reverse zones to another server.
    answeredBy: () => 'others',
    question: ({ dnsService: { addresses } }) =>
      addresses[0] === undefined ? undefined : inName(reverseName(canonicalAddress(addresses[0])), 'PTR'),
    read: (reply, { zone, dnsService: { namespace, name } }) => {
      const found = dataOf(reply, 'PTR').map(canonicalDnsName)
      if (found.includes(canonicalDnsName(`${name}.${namespace}.svc.${zone}`))) return RIGHT
      return { kind: 'moot', text: `${found[0] ?? reply.rcode} for the address of ${namespace}/${name}` }
    },
  },
  {
    id: 'L7',
    over: 'udp',
    proves: 'the servers that it forwards to',
    answeredBy: () => 'others',
    question: ({ outside, forwards }, nonce) => {
      const name = outside ?? (forwards ? nowhere(nonce) : undefined)
      return name === undefined ? undefined : inName(name, 'A')
    },
    read: ({ rcode, recursive }, { outside }, nonce) => {
      if (rcode === 'NOERROR') return RIGHT
      // In a network of its own they answer, and know no name of elsewhere.
      if (outside === undefined && (rcode === 'NXDOMAIN' || recursive)) return RIGHT
      return wrong('upstream', `${rcode} for ${outside ?? nowhere(nonce)}`)
    },
  },
  { id: 'L8', over: 'tcp', proves: 'the same answer over TCP', ...LISTED_SERVICE },
]
