const GROUPS = 8
/** Most addresses are so, and they are compared often: they are canonical as they are. */
const DOTTED = /^\d{1,3}(?:\.\d{1,3}){3}$/

/**
 * The canonical form of an address, so that two can be compared: IPv6 with all its groups and no leading zeros, an IPv4 address
 * mapped into IPv6 as IPv4 (RFC 4291 2.2, 2.5.5.2). Any other text is returned in lower case.
 */
export function canonicalAddress(text: string): string {
  if (DOTTED.test(text)) return text
  const [address = '', zone] = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .split('%', 2)
  const groups = address.includes(':') ? ipv6Groups(address) : undefined
  if (groups === undefined) return address
  const mapped = mappedIpv4(groups)
  if (mapped !== undefined) return mapped
  const whole = groups.map((group) => group.toString(16)).join(':')
  return zone === undefined ? whole : `${whole}%${zone}`
}

function ipv6Groups(address: string): readonly number[] | undefined {
  const halves = address.split('::')
  if (halves.length > 2) return undefined
  const [head = [], tail] = halves.map(groupsOf)
  const missing = GROUPS - head.length - (tail?.length ?? 0)
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])]
  return groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined
}

function groupsOf(half: string): readonly number[] {
  if (half === '') return []
  return half.split(':').flatMap((part) => (part.includes('.') ? ipv4AsGroups(part) : [hexGroup(part)]))
}

const hexGroup = (part: string): number => (/^[0-9a-f]{1,4}$/.test(part) ? Number.parseInt(part, 16) : Number.NaN)

function ipv4AsGroups(part: string): readonly number[] {
  const [a = -1, b = -1, c = -1, d = -1, ...more] = part.split('.').map(Number)
  const isAddress = more.length === 0 && [a, b, c, d].every((byte) => byte >= 0 && byte <= 255)
  return isAddress ? [a * 256 + b, c * 256 + d] : [Number.NaN]
}

function mappedIpv4(groups: readonly number[]): string | undefined {
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : undefined
}
