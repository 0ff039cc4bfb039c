import type { Destination } from '../network/network.ts'
import type { App } from './app.ts'
import type { PodProcess } from './data-plane.ts'

interface VirtualPodParts {
  readonly address: string
  readonly app: App
  /** Takes its address from the network. */
  readonly leave: (pod: VirtualPod) => void
}

/** A sandbox with its one process. */
export class VirtualPod implements PodProcess {
  readonly address: string
  readonly #app: App
  readonly #leave: (pod: VirtualPod) => void
  #isThere = true

  constructor({ address, app, leave }: VirtualPodParts) {
    this.address = address
    this.#app = app
    this.#leave = leave
  }

  isReady(): boolean {
    return this.#app.isReady
  }

  onReadiness(run: () => void): void {
    this.#app.onReadiness(run)
  }

  setEndpoints(endpoints: readonly Destination[]): void {
    this.#app.setEndpoints(endpoints)
  }

  terminate(): void {
    this.#app.terminate()
  }

  kill(): void {
    this.#app.kill()
  }

  onExit(run: (code: number) => void): void {
    this.#app.onExit(run)
  }

  /** A runtime that takes a sandbox away kills what still runs in it. */
  remove(): void {
    if (!this.#isThere) return
    this.#isThere = false
    this.#app.kill()
    this.#leave(this)
  }

  vanish(): void {
    this.#isThere = false
    this.#app.vanish()
  }
}
