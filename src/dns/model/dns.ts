export type DnsType = 'A' | 'AAAA' | 'PTR' | 'SOA' | 'SRV' | 'TXT'

/** RFC 1035 4.1.2. The name is a whole one, without its last dot: no search list is applied to it. */
export interface DnsQuestion {
  readonly name: string
  readonly type: DnsType
  readonly class: 'IN' | 'CH'
  /** A version of EDNS that no server knows. The server itself says so (BADVERS), whatever is asked (RFC 6891 6.1.3). Absent: version 0. */
  readonly edns?: 1
}

export interface DnsRecord {
  readonly name: string
  /** As the registry of IANA writes it, or `UNKNOWN_<n>`. */
  readonly type: string
  readonly ttlSeconds: number
  /** As text: the address, the name, the strings of a TXT joined; empty for types that are not read. */
  readonly data: string
}

export interface DnsReply {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, …: the four bits of the header with those of EDNS above them; `RCODE<n>` where it has no name. */
  readonly rcode: string
  readonly authoritative: boolean
  readonly truncated: boolean
  /** A server that asks others for it (RFC 1035 4.1.1) says so, and CoreDNS passes that on. An error of CoreDNS itself does not. */
  readonly recursive: boolean
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  /** The server that answered (RFC 5001), where it says so. */
  readonly nsid?: string
  /** RFC 8914: a code, and what the server adds to it. */
  readonly extendedErrors: readonly { readonly code: number; readonly text: string }[]
  readonly bytes: number
}

/** Why a reply does not match the query: its id, the question it repeats, or because it is a query itself or no message. */
export type Mismatch = 'id' | 'question' | 'query' | 'format'

/** The outcome of one query. Each kind points to another cause, so the kinds are not merged. */
export type DnsOutcome =
  | { readonly kind: 'reply'; readonly reply: DnsReply; readonly afterMs: number }
  | { readonly kind: 'timeout' }
  /** Until the timeout, the queried address sent only messages that do not match. */
  | { readonly kind: 'mismatch'; readonly what: Mismatch; readonly count: number }
  /** ICMP said that nothing listens, or TCP was reset: kube-proxy does so for a Service without endpoints. */
  | { readonly kind: 'refused' }
  /** No route, or the network is down. */
  | { readonly kind: 'unreachable'; readonly text: string }
  /** A matching reply came from another address or port than was queried: an address translation is not undone. */
  | { readonly kind: 'wrongSource'; readonly from: string }
  /** TCP alone: closed without a whole reply. */
  | { readonly kind: 'closed' }
  /** This machine could not send: it has no socket left, or its packet filter refused. This says nothing about the server. */
  | { readonly kind: 'notAsked'; readonly text: string }

/** One label at most 63 octets, a name at most 253 characters (RFC 1035 2.3.4); `_` as services use it. */
const LABEL = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/

export function isDnsName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return name.length > 0 && name.length <= 253 && name.split('.').every((label) => LABEL.test(label))
}

/** Names are equal whatever the case of their letters (RFC 4343), and with or without their last dot. */
export const canonicalDnsName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** The name whose PTR record tells who has an address (RFC 1035 3.5, RFC 3596 2.5). `address` is canonical. */
export function reverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa`
  const digits = address
    .split(':')
    .map((group) => group.padStart(4, '0'))
    .join('')
  return `${[...digits].reverse().join('.')}.ip6.arpa`
}
