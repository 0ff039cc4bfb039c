import { escapeForeign } from '../model/foreign-text.ts'
import { WorldError } from '../model/world-error.ts'
import type { Connection } from './connection.ts'

/** Why a connection failed, by which the text is chosen. */
type TransportFault = 'refused' | 'unknown-host' | 'untrusted' | 'broken'

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

/** A failure of the connection itself, as a WorldError that names the server, and the proxy if there is one. */
export function transportError(error: unknown, way: Pick<Connection, 'server' | 'proxy'>): WorldError {
  if (error instanceof WorldError) return error
  const fault = transportFault(error)
  const { server, proxy } = way
  if (fault === 'untrusted') {
    const text = `the API server at ${server.host} is not trusted: ${reasonOf(error)}`
    return new WorldError(text, { code: 'KUBE_UNTRUSTED', retry: 'never', cause: error })
  }
  const code = proxy !== undefined && isOfProxy(error, fault) ? 'KUBE_PROXY' : 'KUBE_UNREACHABLE'
  const words = proxy === undefined ? directWords(fault, server) : proxyWords(fault, { server, proxy })
  const text = fault === 'broken' ? `${words}: ${reasonOf(error)}` : words
  return new WorldError(text, { code, retry: 'backoff', cause: error })
}

/** The proxy resolves and connects to the server behind a tunnel: our own errors are about the proxy. */
const isOfProxy = (error: unknown, fault: TransportFault): boolean =>
  fault !== 'broken' || errorCode(error).startsWith('ERR_PROXY_')

function directWords(fault: TransportFault, server: URL): string {
  if (fault === 'refused') return `the API server at ${server.host} refuses the connection`
  if (fault === 'unknown-host') return `the API server's name ${server.hostname} cannot be resolved`
  return `the connection to the API server at ${server.host} failed`
}

function proxyWords(fault: TransportFault, { server, proxy }: { readonly server: URL; readonly proxy: URL }): string {
  const way = `on the way to the API server at ${server.host}`
  if (fault === 'refused') return `the proxy ${proxy.host} ${way} refuses the connection`
  if (fault === 'unknown-host') return `the name of the proxy ${proxy.host} ${way} cannot be resolved`
  return `the connection to the API server at ${server.host} by the proxy ${proxy.host} failed`
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const reasonOf = (error: unknown): string => escapeForeign(error instanceof Error ? error.message : String(error))
