import type { Timers } from '../../ports/timers.ts'
import type { Accepted, Listener, NetworkReply, NetworkRequest } from '../network/network.ts'
import type { AppBehaviour } from './app-behaviour.ts'
import { AppConnection, type AppSide } from './app-connection.ts'

export interface AppParts {
  readonly timers: Timers
  readonly behaviour: AppBehaviour
  /** `POD/NODE`, told in every answer. */
  readonly servedBy: string
  /** Begins to listen; the returned function ends it. */
  readonly listen: (listener: Listener) => () => void
}

/** Go's net/http Server.Shutdown: connections that have sent nothing yet are given so long. */
const NEW_CONNECTION_MS = 5_000
/** How long the app waits for requests under way once its grace is over. */
const SHUTDOWN_LIMIT_MS = 20_000
/** What a shell shows of a process that was killed: 128 and the number of SIGKILL. */
const KILLED = 137

/** `closing`: accepts nothing, finishes what is under way. */
type Phase = 'starting' | 'ready' | 'stopping' | 'closing' | 'ended'

/** A web application that says who served each answer, and stops politely or at once. */
export class App implements Listener, AppSide {
  readonly #timers: Timers
  readonly #behaviour: AppBehaviour
  readonly #body: string
  readonly #endListening: () => void
  readonly #connections = new Set<AppConnection>()
  readonly #exitListeners: ((code: number) => void)[] = []
  #onReadiness = (): void => undefined
  #phase: Phase = 'starting'
  #exitCode: number | undefined

  constructor({ timers, behaviour, servedBy, listen }: AppParts) {
    this.#timers = timers
    this.#behaviour = behaviour
    this.#body = `served by ${servedBy}\n`
    this.#endListening = listen(this)
    timers.later(behaviour.startMs, () => {
      if (this.#phase === 'starting') this.#enter('ready')
    })
  }

  get isReady(): boolean {
    return this.#phase === 'ready'
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

  answer({ path }: NetworkRequest, reply: (reply: NetworkReply) => void): void {
    const { answerMs } = this.#behaviour
    if (path === '/readyz' || answerMs === 0) reply(this.#replyTo(path))
    else this.#timers.later(answerMs, () => reply(this.#replyTo(path)))
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

  /** Its machine has lost its power: nobody is told anything. */
  vanish(): void {
    this.#phase = 'ended'
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

  #replyTo(path: string): NetworkReply {
    const closes = this.#phase === 'stopping' || this.#phase === 'closing'
    if (path !== '/readyz') return { status: 200, body: this.#body, closes }
    if (this.#phase === 'ready') return { status: 200, body: 'ok\n', closes }
    return { status: 503, body: this.#phase === 'starting' ? 'starting\n' : 'stopping\n', closes }
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

  /** What is open is closed by the kernel; whoever started the process hears of it a moment later. */
  #exit(code: number): void {
    if (this.#phase === 'ended') return
    this.#enter('ended')
    this.#exitCode = code
    this.#endListening()
    for (const connection of this.#connections) connection.close()
    this.#timers.later(0, () => {
      for (const run of this.#exitListeners.splice(0)) run(code)
    })
  }
}
