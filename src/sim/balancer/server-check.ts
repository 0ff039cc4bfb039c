import type { CheckConfig } from './balancer-config.ts'
import type { OperState } from './server-states.ts'

export type CheckStatus = 'INI' | 'CHECKED' | 'L4TOUT' | 'L4CON' | 'L7TOUT' | 'L7RSP' | 'L7OK' | 'L7STS'

export interface CheckResult {
  readonly status: CheckStatus
  /** The HTTP status, where one came. */
  readonly code: number
  readonly durationMs: number
}

/**
 * The counter behind a server's health (HAProxy src/check.c, `set_server_check_status`). It begins at `rise`: up, and
 * down at the first failure. Below `rise` it counts passes, from `rise` on what is left of `fall`.
 */
export class ServerCheck {
  readonly config: CheckConfig
  #health: number
  #isPaused = false
  #isEnabled = true
  #isRunning = false
  #failures = 0
  #last: CheckResult | undefined
  #changed: () => void = () => undefined

  constructor(config: CheckConfig) {
    this.config = config
    this.#health = config.rise
  }

  /** Called with each change that a table shows. */
  onChange(run: () => void): void {
    this.#changed = run
  }

  get health(): number {
    return this.#health
  }

  set health(health: number) {
    this.#health = health
    this.#changed()
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** `disable health`, `enable health`. */
  get isEnabled(): boolean {
    return this.#isEnabled
  }

  enable(isEnabled: boolean): void {
    this.#isEnabled = isEnabled
    this.#changed()
  }

  /** No check begins. */
  get rests(): boolean {
    return this.#isPaused || !this.#isEnabled
  }

  /** It takes its server down. */
  get isDown(): boolean {
    return this.#isEnabled && !this.isHealthy
  }

  /** Its server begins in maint. */
  beginPaused(): void {
    this.#isPaused = true
    this.#health = 0
  }

  /** Its server enters maint. */
  pause(): void {
    if (this.#isEnabled) this.beginPaused()
    this.#changed()
  }

  /** Its server leaves maint. */
  goOn(): void {
    if (!this.#isEnabled) return
    this.#isPaused = false
    this.health = this.config.rise
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  set isRunning(isRunning: boolean) {
    if (isRunning === this.#isRunning) return
    this.#isRunning = isRunning
    this.#changed()
  }

  get failures(): number {
    return this.#failures
  }

  get last(): CheckResult | undefined {
    return this.#last
  }

  get fullHealth(): number {
    return this.config.rise + this.config.fall - 1
  }

  get isHealthy(): boolean {
    return this.health >= this.config.rise
  }

  note(result: CheckResult): void {
    const isOther = this.#last === undefined || !isShownAlike(result, this.#last)
    this.#last = result
    if (isOther) this.#changed()
    if (result.status === 'L7OK') this.#pass()
    else this.#fail()
  }

  /** From a state file, where its server was in that state. */
  adopt(other: ServerCheck, oper: OperState): void {
    this.health = adoptedHealth(oper, { rise: other.config.rise, fullHealth: other.fullHealth, health: other.health })
    this.#isEnabled = other.#isEnabled
    this.#last = other.#last
  }

  #pass(): void {
    if (this.health >= this.fullHealth) return
    this.health += 1
    if (this.isHealthy) this.health = this.fullHealth
  }

  #fail(): void {
    if (this.health === 0) return
    this.#failures += 1
    this.health -= 1
    if (!this.isHealthy) this.health = 0
  }
}

/** A check that ends as the last one did changes no table, and nearly all do. Durations are shown in whole milliseconds. */
const isShownAlike = (one: CheckResult, other: CheckResult): boolean =>
  one.status === other.status && one.code === other.code && Math.round(one.durationMs) === Math.round(other.durationMs)

/** HAProxy rounds what a state file says of health to what fits the state (`srv_state_srv_update`). */
export function adoptedHealth(oper: OperState, { rise, fullHealth, health }: Health): number {
  switch (oper) {
    case 'stopped':
      return 0
    case 'running':
      return fullHealth
    case 'starting':
      return rise === 1 ? fullHealth : health < 1 || health >= rise ? rise - 1 : health
    case 'stopping':
      return health < rise || health >= fullHealth ? rise : health
  }
}

interface Health {
  readonly rise: number
  readonly fullHealth: number
  readonly health: number
}
