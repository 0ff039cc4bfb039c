import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { Accepted, Destination, Listener, NetworkReply } from '../network/network.ts'
import type { Links } from './links.ts'
import type { LoopbackNet } from './loopback-net.ts'

/** What served the request, for clients that read headers: the app of the test bed says it in both places. */
const SERVED_BY = /^served by (\S+)/

export interface HttpServiceParts {
  readonly net: LoopbackNet
  readonly links: Links
  /** Runs something once this turn of the event loop has read what had arrived. */
  readonly soon: (run: () => void) => void
}

/** A listener of the model as a real HTTP server. */
export class HttpService {
  readonly #parts: HttpServiceParts
  readonly #listener: Listener
  readonly #server: Server
  readonly #accepted = new Map<Socket, Accepted>()
  readonly #busy = new Set<Socket>()
  /** To be closed, but a request is under way already: it is their last. */
  readonly #ending = new Set<Socket>()
  #isFrozen = false

  constructor(parts: HttpServiceParts, at: Destination, listener: Listener) {
    this.#parts = parts
    this.#listener = listener
    // It speaks HTTP only on connections accepted below, so that closing the port tells connected clients nothing.
    const http = createHttpServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, (request, response) =>
      this.#answer(request, response),
    )
    this.#server = createServer({ noDelay: true }, (socket) => {
      if (this.#accept(socket)) http.emit('connection', socket)
    })
    parts.net.bind(this.#server, at)
  }

  /** New connections are refused; those that are open stay. */
  close(): void {
    this.#server.close()
  }

  /** Its machine has lost its power: clients notice nothing, and open connections stall. */
  freeze(): void {
    this.#isFrozen = true
    this.close()
  }

  /** Closes the port and every connection, even with a request under way. */
  end(): void {
    this.close()
    for (const socket of this.#accepted.keys()) socket.destroy()
  }

  #accept(socket: Socket): boolean {
    const accepted = this.#listener.accept(socket.remoteAddress ?? '')
    if (accepted === undefined) {
      socket.resetAndDestroy()
      return false
    }
    this.#accepted.set(socket, accepted)
    accepted.bind(() => {
      if (this.#busy.has(socket)) this.#cut(socket)
      else this.#parts.soon(() => this.#closeIdle(socket))
    })
    socket.on('close', () => {
      this.#accepted.delete(socket)
      this.#busy.delete(socket)
      this.#ending.delete(socket)
      if (!this.#isFrozen) accepted.closed()
    })
    return true
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const accepted = this.#accepted.get(request.socket)
    request.resume()
    if (accepted === undefined || this.#isFrozen) return
    this.#busy.add(request.socket)
    accepted.request({ path: pathOf(request.url ?? '/') }, (reply) => {
      this.#busy.delete(request.socket)
      if (this.#isFrozen || request.socket.destroyed) return
      write(response, this.#ending.has(request.socket) ? { ...reply, closes: true } : reply)
    })
  }

  #closeIdle(socket: Socket): void {
    if (this.#parts.links.tryEnd(socket)) this.#cut(socket)
    else this.#ending.add(socket)
  }

  #cut(socket: Socket): void {
    if (!this.#isFrozen) socket.destroySoon()
  }
}

const pathOf = (url: string): string => url.split('?')[0] ?? '/'

function write(response: ServerResponse, { status, body, closes }: NetworkReply): void {
  const servedBy = SERVED_BY.exec(body)?.[1]
  response.writeHead(status, {
    'content-type': 'text/plain',
    'content-length': Buffer.byteLength(body),
    ...(servedBy === undefined ? {} : { 'x-served-by': servedBy }),
    ...(closes === true ? { connection: 'close' } : {}),
  })
  response.end(body)
}
