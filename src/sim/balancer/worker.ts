import type { Timers } from '../../ground/ports/timers.ts'
import type { Accepted, Network } from '../network/network.ts'
import type { BalancerState } from './balancer-state.ts'
import { CheckLimits } from './check-limits.ts'
import { CheckLoop } from './check-loop.ts'
import { ClientSession } from './client-session.ts'
import { IdlePurge } from './idle-purge.ts'

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
  #unlisten: readonly (() => void)[] = []
  #callOffHardStop: () => void = () => undefined

  constructor(parts: WorkerParts) {
    this.state = parts.state
    this.#parts = parts
    this.#purge = new IdlePurge(parts.timers)
    this.#limits = new CheckLimits(parts.timers, parts.nowMs)
  }

  start(): void {
    const { config, backends } = this.state
    this.#unlisten = config.frontends.map(({ port, backend: name }) => {
      const backend = backends.find((candidate) => candidate.name === name)
      const accept = (): Accepted | undefined => (backend === undefined ? undefined : this.#accept(backend))
      return this.#parts.network.listen({ host: config.host, port }, { accept })
    })
    this.#startChecks()
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
    const checked = state.servers.flatMap((server) =>
      server.check === undefined ? [] : [{ server, check: server.check }],
    )
    const long = checked.map(({ check }) => check.config.interMs).filter((ms) => ms >= SHORT_INTERVAL_MS)
    const shortestMs = Math.min(...long)
    this.#checks = checked.map(({ server, check }, at) => {
      const { interMs } = check.config
      const spreadMs = Math.max(interMs, long.length === 0 ? 0 : shortestMs)
      const loop = new CheckLoop(parts, server, check)
      loop.start((spreadMs * at) / checked.length)
      return loop
    })
  }

  #stopTaking(): void {
    this.state.isStopping = true
    for (const end of this.#unlisten) end()
    for (const check of this.#checks) check.stop()
    this.#limits.end()
    this.#unlisten = []
    this.#checks = []
  }

  #endIfIdle(): void {
    if (this.state.isStopping && this.#clients.size === 0) this.#end()
  }

  #end(): void {
    this.#callOffHardStop()
    this.#purge.stop()
    for (const server of this.state.servers) server.idle.closeAll()
    this.#parts.ended(this)
  }
}
