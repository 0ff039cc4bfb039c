import type { Timers } from '../../ground/ports/timers.ts'
import type { Accepted, Destination, Listener, NetworkReply, NetworkRequest } from '../network/network.ts'
import type { AppBehaviour } from './app-behaviour.ts'
import { AppConnection, type AppSide } from './app-connection.ts'
import type { ReverseProxy } from './reverse-proxy.ts'

interface AppParts {
  readonly timers: Timers
  readonly behaviour: AppBehaviour
  /** `POD/NODE`, told in every answer. */
  readonly servedBy: string
  /** Begins to listen; the returned function ends it. */
  readonly listen: (listener: Listener) => () => void
  /** Of an app that forwards. */
  readonly proxy?: ReverseProxy
}

/** Go's net/http Server.Shutdown: connections that have sent nothing yet are given so long. */
const NEW_CONNECTION_MS = 5_000
/** How long the app waits for requests under way once its grace is over. */
const SHUTDOWN_LIMIT_MS = 20_000
/** What a shell shows of a process that was killed: 128 and the number of SIGKILL. */
const KILLED = 137

/** `closing`: accepts nothing, finishes what is under way. */
type Phase = 'starting' | 'ready' | 'stopping' | 'closing' | 'ended'

/** Where an app answers checks, where an ingress does (ingress-nginx, `/healthz` of its default server), and CoreDNS. */
const CHECKS: readonly string[] = ['/readyz']
const INGRESS_CHECKS: readonly string[] = ['/healthz']
const DNS_CHECKS: readonly string[] = ['/health', '/ready']

/** Answered after so many milliseconds, as by the app of the test bed. */
const SLOW = /^\/slow\?ms=(\d+)$/

/** A web application that names its pod in each answer, or forwards each request, and stops politely or at once. */
export class App implements Listener, AppSide {
  readonly #timers: Timers
  readonly #behaviour: AppBehaviour
  readonly #body: string
  readonly #endListening: () => void
  readonly #proxy: ReverseProxy | undefined
  readonly #connections = new Set<AppConnection>()
  readonly #exitListeners: ((code: number) => void)[] = []
  #onReadiness = (): void => undefined
  #phase: Phase = 'starting'
  #exitCode: number | undefined

  constructor({ timers, behaviour, servedBy, listen, proxy }: AppParts) {
    this.#timers = timers
    this.#proxy = proxy
    this.#behaviour = behaviour
    this.#body = `served by ${servedBy}\n`
    this.#endListening = listen(this)
    timers.later(behaviour.startMs, () => {
      if (this.#phase === 'starting') this.#enter('ready')
    })
    const { ends } = behaviour
    if (ends !== undefined) timers.later(ends.afterMs, () => this.#exit(ends.exitCode))
  }

  get isReady(): boolean {
    return this.#phase === 'ready' && this.#proxy?.knowsEndpoints !== false
  }

  /** Called whenever that may have changed. */
  onReadiness(run: () => void): void {
    this.#onReadiness = run
  }

  accept(): Accepted {
    const connection = new AppConnection(this)
    this.#connections.add(connection)
    return connection
  }

  setEndpoints(endpoints: readonly Destination[]): void {
    if (this.#phase === 'ended') return
    const wasReady = this.isReady
    this.#proxy?.setEndpoints(endpoints)
    if (!wasReady) this.#onReadiness()
  }

  /** The answer to a check while it is ready. */
  sureAnswer({ path }: NetworkRequest): NetworkReply | undefined {
    return this.isReady && this.#checks.includes(path) ? this.#checked() : undefined
  }

  answer(request: NetworkRequest, reply: (reply: NetworkReply) => void): void {
    const { path } = request
    const { answerMs } = this.#behaviour
    const proxy = this.#proxy
    if (this.#checks.includes(path)) reply(this.#checked())
    else if (proxy !== undefined) proxy.forward(request, (answer) => reply({ ...answer, closes: this.#closes }))
    else {
      const takesMs = Number(SLOW.exec(path)?.[1] ?? answerMs)
      if (takesMs === 0) reply(this.#served())
      else this.#timers.later(takesMs, () => reply(this.#served()))
    }
  }

  settled(connection: AppConnection): void {
    if (connection.state === 'closed') this.#connections.delete(connection)
    if (this.#phase !== 'closing') return
    if (connection.state === 'idle') connection.close()
    else if (this.#connections.size === 0) this.#exit(0)
  }

  terminate(): void {
    if (this.#phase !== 'starting' && this.#phase !== 'ready') return
    if (this.#behaviour.stop === 'immediate') this.#exit(0)
    else {
      this.#enter('stopping')
      this.#timers.later(this.#behaviour.graceMs, () => this.#shutDown())
    }
  }

  kill(): void {
    this.#exit(KILLED)
  }

  /** Its machine has lost its power: neither its clients nor its kubelet is told anything. */
  vanish(): void {
    this.#phase = 'ended'
    this.#proxy?.end()
    this.#connections.clear()
    this.#exitListeners.length = 0
  }

  onExit(run: (code: number) => void): void {
    const code = this.#exitCode
    if (code === undefined) this.#exitListeners.push(run)
    else this.#timers.later(0, () => run(code))
  }

  #enter(phase: Phase): void {
    this.#phase = phase
    this.#onReadiness()
  }

  get #checks(): readonly string[] {
    if (this.#proxy !== undefined) return INGRESS_CHECKS
    return this.#behaviour.dns === undefined ? CHECKS : DNS_CHECKS
  }

  get #closes(): boolean {
    return this.#phase === 'stopping' || this.#phase === 'closing'
  }

  #served(): NetworkReply {
    return { status: 200, body: this.#body, closes: this.#closes }
  }

  #checked(): NetworkReply {
    const closes = this.#closes
    if (this.isReady) return { status: 200, body: 'ok\n', closes }
    return { status: 503, body: closes ? 'stopping\n' : 'starting\n', closes }
  }

  #shutDown(): void {
    if (this.#phase !== 'stopping') return
    this.#enter('closing')
    this.#endListening()
    for (const connection of this.#connections) if (connection.state === 'idle') connection.close()
    if (this.#connections.size === 0) this.#exit(0)
    this.#timers.later(NEW_CONNECTION_MS, () => {
      for (const connection of this.#connections) if (connection.state === 'new') connection.close()
    })
    this.#timers.later(SHUTDOWN_LIMIT_MS, () => this.#exit(0))
  }

  /** The kernel closes the open connections. The kubelet that started the process hears of its end a moment later. */
  #exit(code: number): void {
    if (this.#phase === 'ended') return
    this.#enter('ended')
    this.#exitCode = code
    this.#endListening()
    this.#proxy?.end()
    for (const connection of this.#connections) connection.close()
    this.#timers.later(0, () => {
      for (const run of this.#exitListeners.splice(0)) run(code)
    })
  }
}
