import { BlockList, isIP } from 'node:net'

interface Destination {
  /** In lower case, an IPv6 address without brackets. */
  readonly host: string
  readonly port: string
}

/**
 * Whether $NO_PROXY keeps a server from the proxy, in the forms that kubectl understands (Go's httpproxy): `*`, an address, a
 * network such as 10.0.0.0/8, a domain with all below it, `.domain` for only what is below it; a port may follow. A server on
 * this machine never goes through a proxy.
 */
export function bypassesProxy(destination: Destination, noProxy: string): boolean {
  const { host } = destination
  if (host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, family(host)))) return true
  return noProxy
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => entry !== '' && names(entry, destination))
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

function names(entry: string, { host, port }: Destination): boolean {
  if (entry === '*') return true
  if (entry.includes('/')) return isInNetwork(host, entry)
  const [wanted, wantedPort] = withPort(entry)
  if (wanted === '' || (wantedPort !== undefined && wantedPort !== port)) return false
  if (isIP(wanted) !== 0) return isIP(host) !== 0 && isInNetwork(host, `${wanted}/${isIP(wanted) === 4 ? 32 : 128}`)
  const domain = wanted.replace(/^\*/, '')
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
}

/** `host`, `host:port`, `[address]:port`; an IPv6 address without brackets has no port. */
function withPort(entry: string): readonly [host: string, port: string | undefined] {
  if (isIP(entry) !== 0) return [entry, undefined]
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []
  return [bracketed ?? plain, port]
}

/** A text that is no network matches no address. */
function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/')
  const longest = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || isIP(host) === 0 || !/^\d+$/.test(bits) || Number(bits) > longest) return false
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family(address))
  return list.check(host, family(host))
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
