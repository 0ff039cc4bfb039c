import type { Timers } from '../../ground/ports/timers.ts'
import type { Broken, Connection, Network, NetworkReply, NetworkRequest } from '../network/network.ts'
import type { Backend } from './backend.ts'
import type { BalancerConfig } from './balancer-config.ts'
import type { IdlePurge } from './idle-purge.ts'
import type { QueuedRequest, RequestQueue } from './request-queue.ts'
import type { Server } from './server.ts'
import type { Session } from './server-load.ts'

/** `dropped`: the client's connection is closed without an answer. */
export type Outcome = NetworkReply | 'dropped'

export interface Forwarding {
  readonly network: Network
  readonly timers: Timers
  readonly config: BalancerConfig
  readonly purge: IdlePurge
}

interface ClientRequest {
  readonly request: NetworkRequest
  /** Of its client's connection: it never goes over a connection that another client has used (`http-reuse safe`). */
  readonly isFirst: boolean
  readonly done: (outcome: Outcome) => void
}

const RETRIES = 3
/** Between two tries to connect where the first was refused; `timeout connect` where that is shorter. */
const TURN_AROUND_MS = 1_000

/**
 * One request on its way: to the server of its cookie or of round robin, and never to another (no `option redispatch`). A retry
 * goes to the same server even if that was put into maint meanwhile.
 */
export class ForwardedRequest implements Session, QueuedRequest<Server> {
  readonly #ways: Forwarding
  readonly #client: ClientRequest
  #backend: Backend | undefined
  /** Its client named the server. */
  #isKnown = false
  #leaveQueue: () => void = () => undefined
  /** Where it has a place. */
  #place: Server | undefined
  #server: Server | undefined
  #connection: Connection | undefined
  /** For a client that did not know its server. */
  #cookie: string | undefined
  #closesServer = false
  #callOff: () => void = () => undefined
  #failures = 0
  #isOver = false

  constructor(ways: Forwarding, client: ClientRequest) {
    this.#ways = ways
    this.#client = client
  }

  start(backend: Backend): void {
    this.#closesServer = backend.closesServers
    this.#backend = backend
    const known = backend.known(this.#client.request.cookie)
    this.#isKnown = known !== undefined
    const server = known ?? backend.next()
    if (server === undefined) this.#finish({ status: 503, body: '' })
    else if (server === 'full') this.#waitIn(backend.queue)
    else {
      if (known === undefined) server.load.count('balanced')
      if (server.isFull) this.#waitIn(server.load.queue, server)
      else {
        server.load.takePlace()
        this.go(server)
      }
    }
  }

  go(server: Server): void {
    this.#callOff()
    this.#leaveQueue = () => undefined
    this.#place = server
    if (!this.#isKnown) this.#cookie = this.#backend?.cookieOf(server)
    this.#attempt(server)
  }

  /** `server`: the one that its client knows. */
  #waitIn(queue: RequestQueue<Server>, server?: Server): void {
    const { timers, config } = this.#ways
    queue.add(this)
    this.#leaveQueue = () => queue.forget(this)
    this.#callOff = timers.later(config.queueTimeoutMs ?? config.connectTimeoutMs, () => {
      server?.load.count('connectErrors')
      this.#finish({ status: 503, body: '' })
    })
  }

  cut(): void {
    if (this.#server === undefined) return
    this.#connection?.close()
    this.#broken(this.#server)
  }

  /** The process of the balancer ends: the client gets no answer any more. */
  abandon(): void {
    this.#connection?.close()
    this.#finish('dropped')
  }

  #attempt(server: Server): void {
    this.#server = server
    server.load.begin(this)
    server.load.count('sessions')
    if (server.admin !== 'ready') server.load.count('strays')
    const pooled = this.#client.isFirst ? undefined : server.idle.take()
    if (pooled === undefined) {
      this.#connect(server)
      return
    }
    server.load.count('reuses')
    this.#send(server, pooled, { wasReused: true })
  }

  #connect(server: Server): void {
    const { network, timers, config } = this.#ways
    server.load.count('connects')
    let isAwaited = true
    this.#callOff = timers.later(config.connectTimeoutMs, () => {
      isAwaited = false
      this.#failed(server, 'silent')
    })
    const { address: host, port } = server.config
    network.dial({ host, port }, (dialled) => {
      if (!isAwaited || this.#isOver) {
        if (dialled.kind === 'open') dialled.connection.close()
        return
      }
      if (dialled.kind === 'silent') return
      isAwaited = false
      this.#callOff()
      if (dialled.kind === 'refused') this.#failed(server, 'refused')
      else this.#connected(server, dialled.connection)
    })
  }

  #connected(server: Server, connection: Connection): void {
    connection.onClosed(() => server.idle.forget(connection))
    this.#send(server, connection, { wasReused: false })
  }

  /** The request leaves the server until it is tried there again. */
  #failed(server: Server, how: 'refused' | 'silent'): void {
    const { timers, config } = this.#ways
    server.load.end(this)
    this.#failures += 1
    if (this.#failures > (config.retries ?? RETRIES)) {
      server.load.count('connectErrors')
      this.#finish({ status: 503, body: '' })
      return
    }
    server.load.count('retries')
    if (how === 'silent') this.#attempt(server)
    else this.#callOff = timers.later(Math.min(TURN_AROUND_MS, config.connectTimeoutMs), () => this.#attempt(server))
  }

  #send(server: Server, connection: Connection, use: { readonly wasReused: boolean }): void {
    const { timers, config, purge } = this.#ways
    this.#connection = connection
    this.#callOff = timers.later(config.serverTimeoutMs, () => {
      server.load.count('responseErrors')
      connection.close()
      this.#finish({ status: 504, body: '' })
    })
    const { path } = this.#client.request
    connection.send({ path }, (answer: NetworkReply | Broken) => {
      if (this.#isOver) return
      if (answer === 'broken') {
        this.#broken(server)
        return
      }
      if (answer.closes === true || this.#closesServer || !connection.isOpen) connection.close()
      else {
        // Also in maint: only connections that were idle when maint began are closed.
        server.idle.add(connection, use)
        purge.watch(server)
      }
      const given = this.#cookie === undefined ? {} : { setCookie: this.#cookie }
      this.#finish({ status: answer.status, body: answer.body, ...given })
    })
  }

  /** A client that had an answer on this connection before has to ask again itself (RFC 9112, 9.3.1), and nothing is counted. */
  #broken(server: Server): void {
    if (!this.#client.isFirst) {
      this.#finish('dropped')
      return
    }
    server.load.count('responseErrors')
    this.#finish({ status: 502, body: '' })
  }

  #finish(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#callOff()
    this.#leaveQueue()
    this.#server?.load.end(this)
    if (this.#place !== undefined) this.#backend?.leave(this.#place)
    this.#client.done(outcome)
  }
}
