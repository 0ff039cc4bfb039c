import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, Socket } from 'node:net'
import { type Authority, newAuthority } from '../../../testbed/pki/authority.ts'

interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

/** `list`, `watch`, or a method and path: `GET /version`. */
type Wanted = string
export type Answer = (response: ServerResponse, request: IncomingMessage) => void

interface Change {
  readonly type: string
  readonly version: number
  readonly object: unknown
}

/** A complete answer. */
export const answering =
  (status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

export const status = (code: number, message = '', details: unknown = {}) => ({
  kind: 'Status',
  code,
  message,
  details,
})

/** The API server's own word that an object is not there. */
export const absent = (kind: string, name: string): Answer =>
  answering(404, { ...status(404, `${kind} "${name}" not found`, { name, kind }), reason: 'NotFound' })

const absentAt = (segments: readonly string[]): Answer =>
  absent(segments.at(-2) ?? '', decodeURIComponent(segments.at(-1) ?? ''))

/** What a gateway answers for a moment in the place of the API server. */
export const GATEWAY_404 = answering(404, '<html><title>404 Not Found</title>nginx', { 'content-type': 'text/html' })

const NODES = '/api/v1/nodes'

/**
 * Objects of one kind, nodes unless told otherwise, behind a real socket and real TLS, with a watch that remembers, and
 * with answers that can be put in the way.
 */
export class FakeApiServer {
  readonly authority: Authority = newAuthority()
  readonly requests: SeenRequest[] = []
  /** TLS connections made so far. */
  connections = 0
  port = 0
  /** The tokens that the server accepts; absent: it accepts every client. */
  tokens: readonly string[] | undefined
  #server: Server | undefined
  readonly #collection: string
  #version = 100
  readonly #objects = new Map<string, unknown>()
  #changes: Change[] = []
  readonly #watches = new Set<{ readonly response: ServerResponse; mute: boolean }>()
  readonly #sockets = new Set<Socket>()
  readonly #secure = new Set<Socket>()
  #deaf: ReadonlySet<Socket> = new Set()
  #inTheWay: { readonly wanted: Wanted; readonly answer: Answer; times: number }[] = []

  /** `collection`: the path that the objects are listed at. */
  constructor(collection: string = NODES) {
    this.#collection = collection
  }

  async start(names: readonly string[] = ['127.0.0.1', 'localhost']): Promise<this> {
    const { certificatePem, keyPem } = this.authority.issue({ commonName: 'fake' }, { names })
    const server = createServer({ cert: certificatePem, key: keyPem, requestCert: true, rejectUnauthorized: false })
    server.on('secureConnection', (socket) => {
      this.connections += 1
      this.#secure.add(socket)
    })
    server.on('connection', (socket) => {
      if (!(socket instanceof Socket)) return
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (request, response) => this.#route(request, response))
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.port = (server.address() as AddressInfo).port
    this.#server = server
    return this
  }

  /** The machine goes down: nothing listens, and every connection is reset. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    this.#watches.clear()
    if (server === undefined) return
    server.close()
    // A connection that is still in its handshake is none of the server's yet.
    for (const socket of this.#sockets) socket.destroy()
    await once(server, 'close')
  }

  /** The next such requests are answered so and not otherwise. */
  putInTheWay(wanted: Wanted, answer: Answer, times = 1): void {
    this.#inTheWay.push({ wanted, answer, times })
  }

  /** Creates or changes an object. */
  apply(name: string, spec: unknown = {}): void {
    this.#change(this.#objects.has(name) ? 'MODIFIED' : 'ADDED', name, spec)
  }

  delete(name: string): void {
    this.#change('DELETED', name, {})
  }

  /** Changes before now can no longer be watched from. */
  compact(): void {
    this.#changes = []
  }

  /** Writes to every open watch, past the store. */
  say(line: unknown): void {
    for (const { response, mute } of this.#watches) {
      if (!mute) response.write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)
    }
  }

  bookmark(): void {
    this.say({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.#version) } } })
  }

  /** Open watches; ones that have gone mute are counted as long as TCP lives. */
  get watches(): number {
    return this.#watches.size
  }

  count(wanted: Wanted): number {
    return this.requests.filter((request) => this.#wantedOf(request) === wanted).length
  }

  endWatches(): void {
    for (const { response } of this.#watches) response.end()
    this.#watches.clear()
  }

  /** TCP RST on every connection. */
  resetConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
    this.#watches.clear()
  }

  /** From now on nothing that comes over a present connection is answered, while TCP lives on. */
  deafenConnections(): void {
    this.#deaf = new Set(this.#secure)
  }

  /** From now on the open watches say nothing, while TCP lives on. */
  muteWatches(): void {
    for (const watch of this.#watches) watch.mute = true
  }

  #change(type: string, name: string, spec: unknown): void {
    this.#version += 1
    const namespace = /\/namespaces\/([^/]+)/.exec(this.#collection)?.[1]
    const place = namespace === undefined ? { name } : { name, namespace }
    const metadata = { ...place, uid: `uid-${name}`, resourceVersion: String(this.#version) }
    const object = { metadata, spec }
    if (type === 'DELETED') this.#objects.delete(name)
    else this.#objects.set(name, object)
    this.#changes.push({ type, version: this.#version, object })
    this.say({ type, object })
  }

  #route(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'https://fake')
    const { method = '', headers } = request
    const seen = { method, path: url.pathname, query: url.searchParams, headers }
    this.requests.push(seen)
    if (this.#deaf.has(request.socket)) return
    const override = this.#inTheWay.find(({ wanted, times }) => times > 0 && wanted === this.#wantedOf(seen))
    if (override !== undefined) {
      override.times -= 1
      override.answer(response, request)
    } else if (this.tokens?.every((token) => headers.authorization !== `Bearer ${token}`)) {
      answering(401, status(401, 'Unauthorized'))(response, request)
    } else this.#answerOf(seen)(response, request)
  }

  #answerOf(seen: SeenRequest): Answer {
    switch (this.#wantedOf(seen)) {
      case 'GET /version':
        return answering(200, { gitVersion: 'v1.35.0' })
      case 'GET /api/v1/namespaces/kube-system':
        return answering(200, { metadata: { uid: 'cluster-uid' } })
      case 'list':
        return answering(200, {
          metadata: { resourceVersion: String(this.#version) },
          items: [...this.#objects.values()],
        })
      case 'watch':
        return (response) => this.#watch(response, Number(seen.query.get('resourceVersion')))
      default:
        return absentAt(seen.path.split('/'))
    }
  }

  #watch(response: ServerResponse, from: number): void {
    const oldest = this.#changes[0]?.version ?? this.#version + 1
    if (from < oldest - 1) {
      answering(410, status(410, 'too old resource version'))(response, response.req)
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    for (const { type, object } of this.#changes.filter(({ version }) => version > from)) {
      response.write(`${JSON.stringify({ type, object })}\n`)
    }
    const watch = { response, mute: false }
    this.#watches.add(watch)
    response.on('close', () => this.#watches.delete(watch))
  }

  #wantedOf({ method, path, query }: SeenRequest): Wanted {
    if (method !== 'GET' || path !== this.#collection) return `${method} ${path}`
    return query.get('watch') === 'true' ? 'watch' : 'list'
  }
}
