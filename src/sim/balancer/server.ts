import type { ServerConfig } from './balancer-config.ts'
import { IdleConnections } from './idle-connections.ts'
import type { CheckResult, ServerCheck } from './server-check.ts'

/** Numbers as in `srv_op_state`; nothing here warms up, so 1 is not among them. */
export const OPER_STATES = { stopped: 0, running: 2, stopping: 3 } as const

export type OperState = keyof typeof OPER_STATES
export type AdminState = 'ready' | 'drain' | 'maint'

/** Which of two states is stricter. */
const TAKES: Readonly<Record<AdminState, number>> = { ready: 0, drain: 1, maint: 2 }

/** A request that is on a server. */
export interface Session {
  /** `shutdown sessions`: as if the server had broken its connection. */
  cut(): void
}

/** What counts up since the process began. */
interface ServerCounters {
  /** `stot`: a retry counts again. */
  readonly sessions: number
  /** Of those, what was sent while the server was in maint or drain. */
  readonly strays: number
  readonly mostSessions: number
  readonly timesDown: number
  readonly retries: number
  readonly connectErrors: number
  readonly responseErrors: number
  readonly connects: number
  readonly reuses: number
}

const NOTHING_COUNTED = {
  ...{ sessions: 0, strays: 0, mostSessions: 0, timesDown: 0 },
  ...{ retries: 0, connectErrors: 0, responseErrors: 0, connects: 0, reuses: 0 },
}

/** One server of one process, with the transitions of HAProxy's src/server.c (`srv_update_status`). */
export class Server {
  readonly id: number
  readonly config: ServerConfig
  /** `ADDRESS:PORT`. */
  readonly address: string
  readonly check: ServerCheck | undefined
  readonly idle: IdleConnections
  readonly sessions = new Set<Session>()
  /** The most sessions at once since the pool was last looked through. */
  recentPeak = 0
  readonly #counters = { ...NOTHING_COUNTED }
  readonly #nowMs: () => number
  #tracked: Server | undefined
  readonly #trackers: Server[] = []
  #own: AdminState = 'ready'
  /** Its own state, or that of the server that it tracks, whichever is stricter. */
  #admin: AdminState = 'ready'
  #oper: OperState = 'running'
  #changedAtS: number
  #downS = 0
  #version = 0

  constructor(config: ServerConfig, parts: { id: number; check: ServerCheck | undefined; nowMs: () => number }) {
    this.id = parts.id
    this.config = config
    this.address = `${config.address}:${config.port}`
    this.check = parts.check
    this.#nowMs = parts.nowMs
    const changed = (): void => this.#touch()
    this.idle = new IdleConnections(changed)
    this.check?.onChange(changed)
    this.#changedAtS = this.#nowS()
  }

  get counters(): ServerCounters {
    return this.#counters
  }

  /** Changes with each change in the tables of the runtime API, except for running times. */
  get version(): number {
    return this.#version
  }

  get admin(): AdminState {
    return this.#admin
  }

  /** What was set on this very server. */
  get own(): AdminState {
    return this.#own
  }

  /** What it has of the server that it tracks. */
  get inherited(): AdminState {
    return this.#tracked?.admin ?? 'ready'
  }

  /** The server whose check decides: this one, or the one at the end of what it tracks. */
  get reference(): Server {
    return this.#tracked?.reference ?? this
  }

  /** From now on it follows the state and the check of that server (configuration.txt, `track`). */
  follow(tracked: Server): void {
    this.#tracked = tracked
    tracked.#trackers.push(this)
  }

  get oper(): OperState {
    return this.#oper
  }

  get weight(): number {
    return this.config.weight ?? 1
  }

  /** A new request may go to it. */
  get isUsable(): boolean {
    return this.#admin === 'ready' && this.#oper === 'running' && this.weight > 0
  }

  /** `lastchg`. HAProxy keeps whole seconds of its clock, so that all its servers count on at the same moment. */
  get sinceChangeS(): number {
    return this.#nowS() - this.#changedAtS
  }

  /** The whole second that it is; seconds go by for all servers of a process at once. */
  get nowS(): number {
    return this.#nowS()
  }

  /** `downtime`: how long it was stopped, in maint or out of it. */
  get downS(): number {
    return this.#downS + (this.#oper === 'stopped' ? this.sinceChangeS : 0)
  }

  count(what: Exclude<keyof ServerCounters, 'mostSessions'>): void {
    this.#counters[what] += 1
    this.#version += 1
  }

  begin(session: Session): void {
    this.sessions.add(session)
    this.recentPeak = Math.max(this.recentPeak, this.sessions.size)
    this.#counters.mostSessions = Math.max(this.#counters.mostSessions, this.sessions.size)
    this.#version += 1
  }

  end(session: Session): void {
    this.sessions.delete(session)
    this.#version += 1
  }

  setAdmin(admin: AdminState): void {
    if (admin === this.#own) return
    this.#own = admin
    this.#follow()
  }

  /** `set server … health`: holds until checks say otherwise. */
  setHealth(oper: OperState): void {
    if (this.check !== undefined) this.check.health = oper === 'stopped' ? 0 : this.check.fullHealth
    this.#become(oper)
  }

  /** A check that began before maint may end in it: it counts, but changes nothing. */
  checked(result: CheckResult): void {
    const { check } = this
    if (check === undefined) return
    check.note(result)
    if (result.status === 'L7OK') {
      if (check.isHealthy) this.#become('running')
    } else if (check.health === 0) this.#become('stopped')
  }

  /** As the server was in the process before, where a state file tells: its last check too. */
  adopt(other: Server): void {
    this.#own = other.#own
    this.#admin = other.#admin
    this.#oper = other.#oper
    this.#changedAtS = other.#changedAtS
    this.#version += 1
    if (other.check !== undefined) this.check?.adopt(other.check)
  }

  /** Applies the states of this server and of the one that it tracks, here and for those that track it. */
  #follow(): void {
    const before = this.#admin
    this.#admin = [this.#own, this.inherited].reduce((one, other) => (TAKES[other] > TAKES[one] ? other : one))
    if (this.#admin !== before) {
      this.#changed()
      if (this.#admin === 'maint') this.#enterMaint()
      else if (before === 'maint') this.#leaveMaint()
    }
    this.#touch()
    for (const tracker of this.#trackers) tracker.#follow()
  }

  #enterMaint(): void {
    this.#oper = 'stopped'
    if (this.check !== undefined) {
      this.check.isPaused = true
      this.check.health = 0
    }
    this.idle.closeAll()
  }

  /** Up before any check: the next one decides, and one failure is enough. If it tracks another server, it is as that one. */
  #leaveMaint(): void {
    this.#oper = this.#tracked?.oper ?? 'running'
    if (this.check === undefined) return
    this.check.isPaused = false
    this.check.health = this.check.config.rise
  }

  #become(oper: OperState): void {
    if (this.#admin === 'maint' || oper === this.#oper) return
    if (oper === 'stopped') this.count('timesDown')
    this.#changed()
    this.#oper = oper
    for (const tracker of this.#trackers) tracker.#become(oper)
  }

  #changed(): void {
    this.#downS = this.downS
    this.#changedAtS = this.#nowS()
    this.#version += 1
  }

  /** Also for those that track it, whose tables tell of its check. */
  #touch(): void {
    this.#version += 1
    for (const tracker of this.#trackers) tracker.#touch()
  }

  #nowS(): number {
    return Math.floor(this.#nowMs() / 1_000)
  }
}
