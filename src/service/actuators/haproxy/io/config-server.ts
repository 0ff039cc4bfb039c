import { isIP } from 'node:net'

/** What a `server` line says. */
export interface WrittenServer {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly checked: boolean
  /** `backend/server` or `server`, whose check it has; empty: its own. */
  readonly tracked: string
}

/** Reads the words of a `server` line. `preset`: whether `default-server` has it checked. */
export function readServerLine([, name = '', at = '', ...options]: readonly string[], preset: boolean): WrittenServer {
  const { address, port } = endpointOf(at)
  const { checked, tracked } = readOptions(options, { checked: preset, tracked: '' })
  return { name, address: isIP(address) === 0 ? '' : address, port: Math.max(0, port), checked, tracked }
}

interface Options {
  readonly checked: boolean
  readonly tracked: string
}

/** The words behind a server's address, or behind `default-server`. What is the value of an option is none itself. */
export function readOptions(words: readonly string[], preset: Options): Options {
  let { checked, tracked } = preset
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', value = ''] = words.slice(at)
    if (word === 'check' || word === 'no-check') checked = word === 'check'
    if (word === 'track') tracked = value
    if (!FLAGS.test(word)) at += 1
  }
  return { checked, tracked }
}

/** Options of a server that stand alone (configuration.txt 5.2); the others have a value. */
const FLAGS =
  /^(no-.*|check|check-send-proxy|check-ssl|check-via-socks4|agent-check|allow-0rtt|backup|disabled|enabled|force-\w+|non-stick|stick|send-proxy(-v2.*)?|ssl|ssl-reuse|tls-tickets|tfo|strict-maxconn|check-reuse-pool|renegotiate)$/

/** Why the address of a `server` line is not that of a node, if a person has to know. */
export function addressDoubt([, , at = '']: readonly string[]): string | undefined {
  const { address, port } = endpointOf(at)
  if (/^(unix|abns|abnsz|fd|sockpair)@|^\//.test(at)) return undefined
  if (address === '' || address === '*') return 'the address is the one that the client asked for'
  if (port < 0) return 'the port is counted from the one that the client asked for, which the runtime API does not show'
  return isIP(address) === 0
    ? 'the address is a name that is resolved at run time; the runtime API tells it'
    : undefined
}

const FAMILY = /^(?:(?:ipv4|ipv6|udp|udp4|udp6|tcp|tcp4|tcp6|quic4|quic6|stream\+ipv4|stream\+ipv6)@)+/

/** `10.0.0.1:80`, `[::1]:80`, `::1:80`, `ipv4@10.0.0.1:80`: the port is behind the last colon. None is 0, an offset is less. */
export function endpointOf(text: string): { readonly address: string; readonly port: number } {
  const bare = text.replace(FAMILY, '')
  const [, bracketed] = /^\[([^\]]*)\]$/.exec(bare) ?? []
  if (bracketed !== undefined) return { address: bracketed, port: 0 }
  const colon = bare.lastIndexOf(':')
  if (colon === -1) return { address: bare, port: 0 }
  const address = bare.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  const behind = bare.slice(colon + 1)
  if (/^[+-]/.test(behind)) return { address, port: -1 }
  return { address, port: /^\d+$/.test(behind) ? Number(behind) : 0 }
}
