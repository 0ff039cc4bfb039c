import type { FrontendConfig } from './balancer-config.ts'

/** One frontend of one process. */
export class Frontend {
  readonly config: FrontendConfig
  #isOpen = true
  #changed: () => void = () => undefined

  constructor(config: FrontendConfig) {
    this.config = config
  }

  /** Called when it is opened or closed by a command. */
  onChange(run: () => void): void {
    this.#changed = run
  }

  /** It takes connections. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen
    this.#changed()
  }
}
