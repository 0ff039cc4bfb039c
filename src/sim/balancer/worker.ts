import type { Timers } from '../../ground/ports/timers.ts'
import type { Accepted, Network } from '../network/network.ts'
import { agentAsked } from './agent-words.ts'
import type { BalancerState } from './balancer-state.ts'
import { CheckLimits } from './check-limits.ts'
import { type Asked, CheckLoop } from './check-loop.ts'
import { ClientSession } from './client-session.ts'
import type { Frontend } from './frontend.ts'
import { IdlePurge } from './idle-purge.ts'
import type { Server } from './server.ts'

interface WorkerParts {
  readonly network: Network
  readonly timers: Timers
  readonly nowMs: () => number
  readonly state: BalancerState
  /** It has nothing in work any more and is gone. */
  readonly ended: (worker: Worker) => void
}

/** Checks of shorter intervals than this do not pull the others together. */
const SHORT_INTERVAL_MS = 1_000

/** One process of a balancer: its listeners, its checks, its clients. */
export class Worker {
  readonly state: BalancerState
  readonly #parts: WorkerParts
  readonly #purge: IdlePurge
  readonly #limits: CheckLimits
  readonly #clients = new Set<ClientSession>()
  #checks: readonly CheckLoop[] = []
  readonly #unlisten = new Map<string, () => void>()
  #callOffHardStop: () => void = () => undefined

  constructor(parts: WorkerParts) {
    this.state = parts.state
    this.#parts = parts
    this.#purge = new IdlePurge(parts.timers)
    this.#limits = new CheckLimits(parts.timers, parts.nowMs)
  }

  start(): void {
    for (const frontend of this.state.frontends) {
      this.#listen(frontend)
      frontend.onChange(() => this.#listen(frontend))
    }
    this.#startChecks()
  }

  #listen({ config: { name, port, backend: backendName }, isOpen }: Frontend): void {
    this.#unlisten.get(name)?.()
    this.#unlisten.delete(name)
    if (!isOpen || this.state.isStopping) return
    const backend = this.state.backend(backendName)
    const accept = (): Accepted | undefined => (backend === undefined ? undefined : this.#accept(backend))
    this.#unlisten.set(name, this.#parts.network.listen({ host: this.state.config.host, port }, { accept }))
  }

  /** Another process listens now. Work under way here goes on to its end. */
  retire(): void {
    this.#stopTaking()
    const { hardStopAfterMs } = this.state.config
    if (hardStopAfterMs !== undefined) {
      this.#callOffHardStop = this.#parts.timers.later(hardStopAfterMs, () => this.#hardStop())
    }
    for (const client of [...this.#clients]) client.retire()
    this.#endIfIdle()
  }

  /** Everything it carries is cut. */
  kill(): void {
    this.#stopTaking()
    for (const client of [...this.#clients]) client.end()
    this.#end()
  }

  #hardStop(): void {
    for (const client of [...this.#clients]) client.cut()
    this.kill()
  }

  #accept(backend: BalancerState['backends'][number]): Accepted {
    const { network, timers } = this.#parts
    const session = new ClientSession({
      network,
      timers,
      config: this.state.config,
      purge: this.#purge,
      backend,
      ended: (ended) => {
        this.#clients.delete(ended)
        this.#endIfIdle()
      },
    })
    this.#clients.add(session)
    return session
  }

  /** Spread over the shortest interval, as HAProxy begins them (src/check.c, `start_checks`). */
  #startChecks(): void {
    const { network, timers, nowMs, state } = this.#parts
    const parts = { network, timers, nowMs, limits: this.#limits, connectTimeoutMs: state.config.connectTimeoutMs }
    const asked = state.servers.flatMap(askedOf)
    const long = asked.map(({ interMs }) => interMs).filter((ms) => ms >= SHORT_INTERVAL_MS)
    const shortestMs = Math.min(...long)
    this.#checks = asked.map((one, at) => {
      const spreadMs = Math.max(one.interMs, long.length === 0 ? 0 : shortestMs)
      const loop = new CheckLoop(parts, one)
      loop.start((spreadMs * at) / asked.length)
      return loop
    })
  }

  #stopTaking(): void {
    this.state.isStopping = true
    for (const end of this.#unlisten.values()) end()
    for (const check of this.#checks) check.stop()
    this.#limits.end()
    this.#unlisten.clear()
    this.#checks = []
  }

  #endIfIdle(): void {
    if (this.state.isStopping && this.#clients.size === 0) this.#end()
  }

  #end(): void {
    this.#callOffHardStop()
    this.#purge.stop()
    for (const server of this.state.servers) server.stop()
    this.#parts.ended(this)
  }
}

/** What is asked about a server, its agent behind its check. */
function askedOf(server: Server): readonly Asked[] {
  const { config, check, agent } = server
  const host = config.address
  const ofCheck: readonly Asked[] =
    check === undefined
      ? []
      : [{ host, port: config.port, ...check.config, check, ended: (result) => server.checked(result) }]
  const ofAgent: readonly Asked[] =
    agent === undefined
      ? []
      : [
          {
            host,
            ...agent.config,
            path: '/',
            check: agent,
            ended: (result, line) => agentAsked(server, agent, { ...result, line }),
          },
        ]
  return [...ofCheck, ...ofAgent]
}
