import { WorldError } from '../../ground/model/world-error.ts'
import type { DnsOutcome } from '../model/dns.ts'

const REFUSED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'KUBE_PORT_REFUSED'])
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
])

/** What an error of a socket says of the server, or that it says nothing of it. */
export function socketOutcome(error: unknown): DnsOutcome {
  const code = errorCode(error)
  if (REFUSED.has(code)) return { kind: 'refused' }
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', text: code }
  return { kind: 'notAsked', text: error instanceof WorldError ? error.message : code || String(error) }
}

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
