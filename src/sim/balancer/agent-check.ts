import type { AgentConfig } from './balancer-config.ts'
import type { CheckResult } from './server-check.ts'

/** The agent of one server: `rise` and `fall` are 1, and to be out of reach changes nothing. */
export class AgentCheck {
  readonly config: AgentConfig
  #health: 0 | 1 = 1
  #isEnabled = true
  #isRunning = false
  #last: CheckResult | undefined
  #changed: () => void = () => undefined

  constructor(config: AgentConfig) {
    this.config = config
  }

  /** Called with each change. */
  onChange(run: () => void): void {
    this.#changed = run
  }

  get health(): 0 | 1 {
    return this.#health
  }

  set health(health: 0 | 1) {
    this.#health = health
    this.#changed()
  }

  get isEnabled(): boolean {
    return this.#isEnabled
  }

  enable(isEnabled: boolean): void {
    this.#isEnabled = isEnabled
    this.#changed()
  }

  get rests(): boolean {
    return !this.#isEnabled
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  set isRunning(isRunning: boolean) {
    this.#isRunning = isRunning
    this.#changed()
  }

  /** It takes its server down. */
  get isDown(): boolean {
    return this.#isEnabled && this.#health === 0
  }

  get last(): CheckResult | undefined {
    return this.#last
  }

  note(result: CheckResult): void {
    this.#last = result
    this.#changed()
  }
}
