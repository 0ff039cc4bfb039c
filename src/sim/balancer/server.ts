import type { Timers } from '../../ground/ports/timers.ts'
import type { AgentCheck } from './agent-check.ts'
import type { ServerConfig } from './balancer-config.ts'
import { IdleConnections } from './idle-connections.ts'
import { adoptedHealth, type CheckResult, type ServerCheck } from './server-check.ts'
import { ServerLoad } from './server-load.ts'
import { type AdminState, isUp, type OperState, stricter } from './server-states.ts'
import { ServerWeight } from './server-weight.ts'
import { StateTimes } from './state-times.ts'

const WARM_UP_STEP_MS = 1_000
/** `rise` and the full health where nothing is said of a check. */
const UNCHECKED = { rise: 2, fullHealth: 4 } as const

interface ServerParts {
  readonly id: number
  readonly check: ServerCheck | undefined
  readonly agent: AgentCheck | undefined
  readonly nowMs: () => number
  readonly timers: Timers
  /** It may take requests that wait. */
  readonly hasRoom: (server: Server) => void
}

/** One server of one process, with the transitions of HAProxy's src/server.c (`srv_update_status`). */
export class Server {
  readonly id: number
  readonly config: ServerConfig
  /** `ADDRESS:PORT`. */
  readonly address: string
  readonly check: ServerCheck | undefined
  readonly agent: AgentCheck | undefined
  readonly idle: IdleConnections
  readonly load: ServerLoad<Server>
  readonly weight: ServerWeight
  readonly times: StateTimes
  readonly #parts: ServerParts
  /** HAProxy counts warm-ups in whole seconds. */
  readonly #slowStartS: number
  #tracked: Server | undefined
  readonly #trackers: Server[] = []
  #own: AdminState
  /** Its own state, or that of the server that it tracks, whichever is stricter. */
  #admin: AdminState
  #oper: OperState
  /** The health that HAProxy keeps of a server that it does not check. */
  #uncheckedHealth: number
  #version = 0
  #callOffWarmUp: () => void = () => undefined

  constructor(config: ServerConfig, parts: ServerParts) {
    const isOut = config.isDisabled === true
    this.id = parts.id
    this.config = config
    this.address = `${config.address}:${config.port}`
    this.check = parts.check
    this.agent = parts.agent
    this.#parts = parts
    this.#slowStartS = Math.ceil((config.slowStartMs ?? 0) / 1_000)
    const changed = (): void => this.#touch()
    this.idle = new IdleConnections(changed)
    this.load = new ServerLoad(() => {
      this.#version += 1
    })
    this.weight = new ServerWeight(config.weight ?? 1)
    this.times = new StateTimes(parts.nowMs)
    this.#own = isOut ? 'maint' : 'ready'
    this.#admin = this.#own
    this.#oper = isOut ? 'stopped' : 'running'
    this.load.maxConnections = config.maxConnections ?? 0
    this.#uncheckedHealth = isOut ? 0 : UNCHECKED.rise
    this.check?.onChange(changed)
    this.agent?.onChange(changed)
    if (isOut) this.check?.beginPaused()
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
    this.#follow()
  }

  get oper(): OperState {
    return this.#oper
  }

  /** A new request may go to it. */
  get isUsable(): boolean {
    return this.#admin === 'ready' && isUp(this.#oper) && this.weight.effective > 0
  }

  /** `check_health`. */
  get health(): number {
    return this.check?.health ?? this.#uncheckedHealth
  }

  /** How many requests it takes at once now (HAProxy src/queue.c, `srv_dynamic_maxconn`). */
  get places(): number {
    const { sinceChangeS } = this.times
    if (this.#oper !== 'starting' || sinceChangeS >= this.#slowStartS) return this.load.maxConnections
    const percent = Math.floor((100 * sinceChangeS) / this.#slowStartS)
    return Math.max(1, Math.floor((this.load.maxConnections * percent) / 100))
  }

  get isFull(): boolean {
    return this.load.maxConnections > 0 && (this.load.queue.size > 0 || this.load.taken >= this.places)
  }

  /** `downtime`. */
  get downS(): number {
    return this.times.downS + (this.#oper === 'stopped' ? this.times.sinceChangeS : 0)
  }

  setAdmin(admin: AdminState): void {
    if (admin === this.#own) return
    this.#own = admin
    this.#follow()
  }

  /** `set server … health`: holds until checks say otherwise. */
  setHealth(oper: 'running' | 'stopping' | 'stopped'): void {
    const isDown = oper === 'stopped'
    if (this.check === undefined) this.#uncheckedHealth = isDown ? 0 : UNCHECKED.fullHealth
    else this.check.health = isDown ? 0 : this.check.fullHealth
    this.become(oper)
    this.#touch()
  }

  /** HAProxy's words where that is no weight. */
  setWeight(text: string): string | undefined {
    const refusal = this.weight.change(text)
    if (refusal === undefined) this.#weigh()
    return refusal
  }

  setMaxConnections(count: number): void {
    this.load.maxConnections = count
    if (count > 0) this.#parts.hasRoom(this)
  }

  /** A check that began before maint may end in it: it counts, but changes nothing. */
  checked(result: CheckResult): void {
    const { check } = this
    if (check === undefined) return
    check.note(result)
    if (result.status === 'L7OK') this.passed()
    else if (check.health === 0) this.become('stopped')
  }

  /** As the server was in the process before, where a state file tells (HAProxy src/server_state.c, `srv_state_srv_update`). */
  adopt(other: Server): void {
    const { check } = this
    // With `fall 1` there is no way from up to down that takes a while.
    const oper = other.#oper === 'stopping' && check?.config.fall === 1 ? 'stopped' : other.#oper
    if (oper === 'starting' && check?.config.rise !== 1) this.#oper = 'starting'
    else this.become(oper)
    if (other.check !== undefined) check?.adopt(other.check, oper)
    this.#uncheckedHealth = adoptedHealth(oper, { ...UNCHECKED, health: other.#uncheckedHealth })
    if (this.agent !== undefined && other.agent?.isEnabled === false) this.agent.enable(false)
    this.setAdmin(other.#own)
    this.weight.adopt(other.weight)
    this.times.adopt(other.times)
    this.#weigh()
    if (this.#oper !== 'starting') return
    this.times.mark()
    this.#warmUp()
  }

  /** Nothing of it is due any more. */
  stop(): void {
    this.#callOffWarmUp()
    this.idle.closeAll()
  }

  /** A check or an agent says that it is well: it is up if nothing else speaks against it. */
  passed(): void {
    const isHeldDown = this.#tracked?.oper === 'stopped' || this.agent?.isDown === true || this.check?.isDown === true
    if (!isHeldDown) this.become('running')
  }

  /** Applies the states of this server and of the one that it tracks, here and for those that track it. */
  #follow(): void {
    const before = this.#admin
    this.#admin = stricter(this.#own, this.inherited)
    if (this.#admin !== before) {
      if (this.#admin === 'maint') this.#enterMaint()
      else if (before === 'maint') this.#leaveMaint()
      else this.#moveBetweenDrainAndReady()
    }
    this.#touch()
    for (const tracker of this.#trackers) tracker.#follow()
    if (before !== 'ready' && this.isUsable) this.#parts.hasRoom(this)
  }

  #enterMaint(): void {
    this.check?.pause()
    if (this.#oper === 'stopped') return
    if (this.check === undefined) this.#uncheckedHealth = 0
    else this.check.health = 0
    this.load.count('timesDown')
    this.#oper = 'stopped'
    this.times.mark()
    this.idle.closeAll()
  }

  /** Up before any check: the next one decides, and one failure is enough. If it tracks another server, it is as that one. */
  #leaveMaint(): void {
    this.check?.goOn()
    if (this.#tracked?.oper === 'stopping') this.#oper = 'stopping'
    else if (this.#tracked?.oper !== 'stopped' && this.agent?.isDown !== true) {
      this.times.mark()
      this.#oper = this.#upState
      this.#warmUp()
    }
    this.#weigh()
  }

  #moveBetweenDrainAndReady(): void {
    if (this.#admin === 'ready') this.times.addDown()
    this.times.mark()
    if (this.#admin === 'ready') this.#weigh()
  }

  /** Nothing changes in maint. `running`: by way of the warm-up where it has one. */
  become(wanted: OperState): void {
    if (this.#admin === 'maint') return
    const oper = isUp(wanted) ? this.#upState : wanted
    if (isUp(wanted) ? isUp(this.#oper) : oper === this.#oper) return
    if (oper === 'stopped') this.load.count('timesDown')
    if (isUp(wanted) && this.#oper === 'stopped') this.times.addDown()
    this.#oper = oper
    this.times.mark()
    if (isUp(wanted)) {
      this.#warmUp()
      this.#weigh()
    }
    this.#touch()
    for (const tracker of this.#trackers) tracker.become(wanted)
    if (isUp(wanted) && this.isUsable) this.#parts.hasRoom(this)
  }

  get #upState(): OperState {
    return this.#slowStartS > 0 ? 'starting' : 'running'
  }

  /** HAProxy takes the weight anew every second. */
  #warmUp(): void {
    this.#callOffWarmUp()
    if (this.#oper !== 'starting') return
    this.#callOffWarmUp = this.#parts.timers.later(WARM_UP_STEP_MS, () => {
      if (this.#admin === 'maint' || this.#oper !== 'starting') return
      this.#weigh()
      this.#warmUp()
      if (this.isUsable) this.#parts.hasRoom(this)
    })
  }

  /** Takes the weight for this time (`server_recalc_eweight`); in maint it comes into effect when the server leaves it. */
  #weigh(): void {
    if (this.#oper === 'starting' && this.times.sinceChangeS >= this.#slowStartS) {
      this.#oper = 'running'
      this.times.mark()
    }
    const isWarming = this.#oper === 'starting'
    if (this.#admin !== 'maint')
      this.weight.apply(isWarming ? { forS: this.times.sinceChangeS, ofS: this.#slowStartS } : undefined)
    this.#touch()
  }

  /** Also for those that track it, whose tables tell of its check. */
  #touch(): void {
    this.#version += 1
    for (const tracker of this.#trackers) tracker.#touch()
  }
}
