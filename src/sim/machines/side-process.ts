import type { Timers } from '../../ground/ports/timers.ts'
import type { AppBehaviour } from '../plane/app-behaviour.ts'
import type { ContainerProcess } from '../plane/data-plane.ts'
import { Lifetime } from './lifetime.ts'

/** What a shell shows of a process that was killed: 128 and the number of SIGKILL. */
const KILLED = 137

/** The process of a container that gets no requests: it turns ready, and ends when it is told to. */
export class SideProcess implements ContainerProcess {
  readonly #life: Lifetime
  readonly #behaviour: AppBehaviour
  readonly #exitListeners: ((code: number) => void)[] = []
  #onReadiness = (): void => undefined
  #phase: 'starting' | 'ready' | 'stopping' | 'ended' = 'starting'

  constructor(timers: Timers, behaviour: AppBehaviour) {
    this.#life = new Lifetime(timers)
    this.#behaviour = behaviour
    this.#life.later(behaviour.startMs, () => this.#enter('ready'))
    const { ends } = behaviour
    if (ends !== undefined) this.#life.later(ends.afterMs, () => this.#exit(ends.exitCode))
  }

  isReady(): boolean {
    return this.#phase === 'ready'
  }

  onReadiness(run: () => void): void {
    this.#onReadiness = run
  }

  terminate(): void {
    if (this.#phase !== 'starting' && this.#phase !== 'ready') return
    this.#enter('stopping')
    const { stop, graceMs } = this.#behaviour
    this.#life.later(stop === 'immediate' ? 0 : graceMs, () => this.#exit(0))
  }

  kill(): void {
    this.#exit(KILLED)
  }

  onExit(run: (code: number) => void): void {
    this.#exitListeners.push(run)
  }

  remove(): void {
    this.#exit(KILLED)
  }

  #enter(phase: 'ready' | 'stopping' | 'ended'): void {
    if (phase === 'ready' && this.#phase !== 'starting') return
    this.#phase = phase
    this.#onReadiness()
  }

  #exit(code: number): void {
    if (this.#phase === 'ended') return
    this.#enter('ended')
    this.#life.end()
    for (const run of this.#exitListeners.splice(0)) run(code)
  }
}
