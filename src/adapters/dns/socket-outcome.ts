import type { DnsOutcome } from '../../model/dns.ts'

const REFUSED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET'])
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
])

/** What an error of a socket says of the server, or that it says nothing of it. */
export function socketOutcome(error: unknown): DnsOutcome {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (REFUSED.has(code)) return { kind: 'refused' }
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', text: code }
  return { kind: 'notAsked', text: code === '' ? String(error) : code }
}
