import { WebSocket } from 'ws'
import type { Connection } from './connection.ts'
import type { HttpRequest, ReplyHead } from './exchange.ts'
import { dropIdleConnections } from './keep-alive.ts'
import { transportError } from './transport-error.ts'

/** The longest message of a stream of the API: a hostile server must not fill the memory. */
const MESSAGE_BYTES_MAX = 1024 * 1024

interface Wanted {
  readonly connection: Connection
  readonly request: HttpRequest
  /** The server takes the first one that it knows. */
  readonly protocols: readonly string[]
}

/**
 * A WebSocket to the API server, with the proxy and credentials of every other request; resolves with the head of the answer
 * where the server does not upgrade. It is paused. Rejects with WorldError KUBE_UNREACHABLE or KUBE_UNTRUSTED, or with the
 * signal's reason.
 */
export function openWebSocket(
  { connection, request, protocols }: Wanted,
  signal: AbortSignal,
): Promise<{ readonly opened: WebSocket } | { readonly refusal: ReplyHead }> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const { server, agent } = connection
    const url = new URL(`${server.origin}${server.pathname.replace(/\/$/, '')}${request.target}`)
    url.protocol = server.protocol === 'http:' ? 'ws:' : 'wss:'
    const socket = new WebSocket(url, [...protocols], {
      agent,
      // A stream has no media type: the API server answers 406 where one is asked for.
      headers: { ...connection.headers, ...request.headers, accept: '*/*' },
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
    })
    const abort = (): void => {
      reject(signal.reason)
      if (socket.readyState === WebSocket.CONNECTING) dropIdleConnections(agent)
      socket.terminate()
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', abort))
    socket.once('open', () => {
      // Data that came together with the answer waits until its reader listens.
      socket.pause()
      resolve({ opened: socket })
    })
    socket.once('unexpected-response', (_request, response) => resolve({ refusal: response }))
    socket.on('error', (error) => reject(transportError(error, connection)))
  })
}
