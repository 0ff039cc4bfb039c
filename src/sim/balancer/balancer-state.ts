import { invariant } from '../../ground/model/invariant.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { Backend } from './backend.ts'
import type { BalancerConfig } from './balancer-config.ts'
import { Frontend } from './frontend.ts'
import type { Server } from './server.ts'

export type BalancerClock = Pick<Clock, 'monoMs' | 'wallMs'>

export interface ReloadOptions {
  /** `show servers state` was written to the state file just before (`load-server-state-from-file`). */
  readonly keepsStates?: boolean
  /** Another haproxy.cfg than before. */
  readonly config?: BalancerConfig
}

interface BalancerStateParts {
  readonly config: BalancerConfig
  readonly clock: BalancerClock
  readonly timers: Timers
  readonly pid: number
}

/** Ids of proxies begin behind that of the runtime API's own. */
const FIRST_PROXY_ID = 2

/** The state of one balancer process. Another process begins anew. */
export class BalancerState {
  readonly config: BalancerConfig
  readonly pid: number
  readonly frontends: readonly Frontend[]
  readonly backends: readonly Backend[]
  readonly startedAtS: number
  /** After a reload: it ends its work and takes nothing new. */
  isStopping = false
  readonly #clock: BalancerClock
  readonly #timers: Timers
  readonly #startedAtMs: number

  constructor({ config, clock, timers, pid }: BalancerStateParts) {
    this.config = config
    this.pid = pid
    this.#clock = clock
    this.#timers = timers
    this.#startedAtMs = clock.monoMs()
    this.startedAtS = Math.floor(clock.wallMs() / 1_000)
    const nowMs = (): number => clock.monoMs()
    this.frontends = config.frontends.map((frontend) => new Frontend(frontend))
    this.backends = config.backends.map(
      (backend, at) => new Backend(backend, { id: FIRST_PROXY_ID + config.frontends.length + at, nowMs, timers }),
    )
    for (const server of this.servers) {
      const { track } = server.config
      if (track !== undefined) server.follow(this.#serverAt(track))
    }
  }

  get uptimeMs(): number {
    return this.#clock.monoMs() - this.#startedAtMs
  }

  get servers(): readonly Server[] {
    return this.backends.flatMap((backend) => backend.servers)
  }

  backend(name: string): Backend | undefined {
    return this.backends.find((backend) => backend.name === name)
  }

  #serverAt(path: string): Server {
    const [backendName = '', name] = path.split('/')
    const server = this.backend(backendName)?.servers.find(({ config }) => config.name === name)
    invariant(server !== undefined, `there is no server ${path} to track`)
    return server
  }

  /**
   * The state of the process that follows: admin states are forgotten, counters begin at 0, servers are up and not yet
   * checked. The state file goes by names.
   */
  reload(pid: number, { keepsStates = false, config = this.config }: ReloadOptions = {}): BalancerState {
    const next = new BalancerState({ config, clock: this.#clock, timers: this.#timers, pid })
    if (keepsStates) {
      for (const { name, servers } of next.backends) {
        const before = this.backend(name)?.servers ?? []
        for (const server of servers) {
          const same = before.find(({ config: { name: was } }) => was === server.config.name)
          if (same !== undefined) server.adopt(same)
        }
      }
    }
    this.isStopping = true
    return next
  }
}
