import { WorldError } from '../../ground/model/world-error.ts'
import type { DnsOutcome } from '../model/dns.ts'

const REFUSED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'KUBE_PORT_REFUSED'])
/** `EACCES` is ICMPv6 "administratively prohibited": a firewall on the way rejects. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
])

/** What an error that came back to a socket says of the server, or that it says nothing of it. */
export function socketOutcome(error: unknown): DnsOutcome {
  const code = errorCode(error)
  if (REFUSED.has(code)) return { kind: 'refused' }
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', text: code }
  return { kind: 'notAsked', text: error instanceof WorldError ? error.message : code || String(error) }
}

const OWN: Readonly<Record<string, string>> = {
  ENETUNREACH: 'there is no route from here',
  EADDRNOTAVAIL: 'this place has no address of that family',
  EACCES: 'a rule of this place forbids it',
}

/**
 * What a place itself says before anything is sent. Without a route or an address, as to IPv6 from a host that has none, nothing is
 * asked.
 */
export function ownOutcome(error: unknown): DnsOutcome {
  const text = OWN[errorCode(error)]
  return text === undefined ? socketOutcome(error) : { kind: 'notAsked', text }
}

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
