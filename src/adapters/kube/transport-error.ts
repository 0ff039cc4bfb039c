import { escapeForeign } from '../../model/foreign-text.ts'
import { WorldError } from '../../model/world-error.ts'

/** How a connection failed, for the words that follow from it. */
export type TransportFault = 'refused' | 'unknown-host' | 'untrusted' | 'broken'

const UNTRUSTED = [
  /^CERT_/,
  /^ERR_TLS_CERT_/,
  /SELF_SIGNED_CERT/,
  /^UNABLE_TO_/,
  /^HOSTNAME_MISMATCH$/,
  /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
]

export function transportFault(error: unknown): TransportFault {
  const code = errorCode(error)
  if (code === 'ECONNREFUSED') return 'refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown-host'
  return UNTRUSTED.some((pattern) => pattern.test(code)) ? 'untrusted' : 'broken'
}

/** A failure of the connection itself, as a WorldError that names the server. */
export function transportError(error: unknown, server: URL): WorldError {
  if (error instanceof WorldError) return error
  const words = {
    refused: `the API server at ${server.host} refuses the connection`,
    'unknown-host': `the API server's name ${server.hostname} cannot be resolved`,
    untrusted: `the API server at ${server.host} is not trusted: ${reasonOf(error)}`,
    broken: `the connection to the API server at ${server.host} failed: ${reasonOf(error)}`,
  }
  const fault = transportFault(error)
  return fault === 'untrusted'
    ? new WorldError(words[fault], { code: 'KUBE_UNTRUSTED', retry: 'never', cause: error })
    : new WorldError(words[fault], { code: 'KUBE_UNREACHABLE', retry: 'backoff', cause: error })
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const reasonOf = (error: unknown): string => escapeForeign(error instanceof Error ? error.message : String(error))
