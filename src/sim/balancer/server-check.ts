import type { CheckConfig } from './balancer-config.ts'

export type CheckStatus = 'INI' | 'L4TOUT' | 'L4CON' | 'L7TOUT' | 'L7RSP' | 'L7OK' | 'L7STS'

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
  #isRunning = false
  #failures = 0
  #last: CheckResult | undefined
  #changed: () => void = () => undefined

  constructor(config: CheckConfig) {
    this.config = config
    this.#health = config.rise
  }

  /** Called with each change. */
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

  set isPaused(isPaused: boolean) {
    this.#isPaused = isPaused
    this.#changed()
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  set isRunning(isRunning: boolean) {
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
    this.#last = result
    this.#changed()
    if (result.status === 'L7OK') this.#pass()
    else this.#fail()
  }

  adopt(other: ServerCheck): void {
    this.health = other.health
    this.isPaused = other.isPaused
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
