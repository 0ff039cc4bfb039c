import { type ClientRequest, type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { closedUnanswered } from '../net/closed-unanswered.ts'
import type { Connection } from './connection.ts'
import { dropIdleConnections } from './keep-alive.ts'
import { transportError } from './transport-error.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, already encoded. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The head of an answer whose body was not read yet. */
export type ReplyHead = Readable & { readonly statusCode?: number | undefined; readonly headers: IncomingHttpHeaders }

export type Exchange = (connection: Connection, request: HttpRequest, signal: AbortSignal) => Promise<ReplyHead>

/**
 * Sends one request and resolves with the head of the answer, whatever its status; the signal holds until the body has
 * ended. Rejects with WorldError KUBE_UNREACHABLE or KUBE_UNTRUSTED, or with the signal's reason.
 */
export function exchange(connection: Connection, request: HttpRequest, signal: AbortSignal): Promise<ReplyHead> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const sent = openOrRefuse(connection, request)
    const wasClosedUnanswered = closedUnanswered(sent)
    let isAnswered = false
    const abort = () => {
      if (!isAnswered) dropIdleConnections(connection.agent)
      sent.destroy()
    }
    signal.addEventListener('abort', abort, { once: true })
    sent.once('close', () => signal.removeEventListener('abort', abort))
    sent.once('response', (head) => {
      isAnswered = true
      resolve(head)
    })
    sent.on('error', (error) => {
      if (signal.aborted) reject(signal.reason)
      else if (wasClosedUnanswered(error)) exchange(connection, request, signal).then(resolve, reject)
      else reject(transportError(error, connection))
    })
    sent.end(request.body)
  })
}

function open({ server, agent, headers }: Connection, request: HttpRequest): ClientRequest {
  const url = new URL(`${server.origin}${server.pathname.replace(/\/$/, '')}${request.target}`)
  const options = { method: request.method, agent, headers: { ...ofOneUser(headers, request), ...request.headers } }
  return server.protocol === 'http:' ? plainRequest(url, options) : tlsRequest(url, options)
}

/** What is asked for another user has nothing of the user that the kubeconfig impersonates: his groups would count for the other one. */
const ofOneUser = (headers: Connection['headers'], request: HttpRequest): Connection['headers'] =>
  'impersonate-user' in request.headers
    ? Object.fromEntries(Object.entries(headers).filter(([name]) => !/^impersonate-/i.test(name)))
    : headers

/** A request that cannot even be sent: a key that does not belong to its certificate, a token that no header can contain. */
function openOrRefuse(connection: Connection, request: HttpRequest): ClientRequest {
  try {
    return open(connection, request)
  } catch (error) {
    throw transportError(error, connection)
  }
}
