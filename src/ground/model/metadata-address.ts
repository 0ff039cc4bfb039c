import { canonicalAddress } from './ip-address.ts'

/** Addresses, other than link-local, at which clouds give credentials to any client: Alibaba Cloud, Azure, Oracle Cloud. */
const OF_CLOUDS = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192'])
/** Of AWS (fd00:ec2::254), Google Cloud (fd20:ce::254), Oracle Cloud (fd00:c1::a9fe:a9fe) and Scaleway (fd00:42::42). */
const OF_CLOUDS_IPV6 = ['fd00:ec2:', 'fd20:ce:', 'fd00:c1:', 'fd00:42:']
/** An IPv4 address in an IPv6 one: IPv4-compatible (RFC 4291 2.5.5.1), IPv4-translated (RFC 2765 2.1), NAT64 (RFC 6052 2.1). */
const BEFORE_IPV4 = ['0:0:0:0:0:0:', '0:0:0:0:ffff:0:', '64:ff9b:0:0:0:0:']
/** NAT64 of a network of one's own (RFC 8215). Where the IPv4 address is depends on the length of its prefix (RFC 6052 2.2): all are refused. */
const LOCAL_NAT64 = '64:ff9b:1:'
/** 6to4 (RFC 3056 2) has the IPv4 address right behind its prefix. */
const SIX_TO_FOUR = '2002:'

/** Whether an address is link-local, or another one at which a cloud serves the credentials of a machine, in any form. */
export function isMetadataAddress(text: string): boolean {
  const [address = ''] = canonicalAddress(text).split('%', 1)
  if (!address.includes(':')) return address.startsWith('169.254.') || OF_CLOUDS.has(address)
  if (
    /^fe[89ab][0-9a-f]:/.test(address) ||
    [LOCAL_NAT64, ...OF_CLOUDS_IPV6].some((prefix) => address.startsWith(prefix))
  )
    return true
  const inside = ipv4Inside(address)
  return inside !== undefined && isMetadataAddress(inside)
}

function ipv4Inside(address: string): string | undefined {
  const groups = address.split(':').map((group) => Number.parseInt(group, 16))
  if (address.startsWith(SIX_TO_FOUR)) return dotted(groups.slice(1, 3))
  return BEFORE_IPV4.some((prefix) => address.startsWith(prefix)) ? dotted(groups.slice(6)) : undefined
}

const dotted = ([high = 0, low = 0]: readonly number[]): string =>
  [high >> 8, high & 255, low >> 8, low & 255].join('.')
