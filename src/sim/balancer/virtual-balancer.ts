import type { Timers } from '../../ground/ports/timers.ts'
import type { Network } from '../network/network.ts'
import type { BalancerConfig } from './balancer-config.ts'
import { type BalancerClock, BalancerState, type ReloadOptions } from './balancer-state.ts'
import { runtimeAnswer } from './runtime-answer.ts'
import { Worker } from './worker.ts'

interface VirtualBalancerParts {
  readonly network: Network
  readonly timers: Timers
  readonly clock: BalancerClock
  readonly config: BalancerConfig
  /** Of the first process; each that follows has the next one. */
  readonly firstPid: number
}

/** What a server of the running process has had so far. */
interface ServerTally {
  readonly backend: string
  readonly server: string
  readonly sessions: number
  /** Requests that were sent to it while it was in maint or drain. */
  readonly strays: number
}

/** HAProxy as its runtime API and its traffic show it: one process that answers, and those from before reloads. */
export class VirtualBalancer {
  readonly #parts: VirtualBalancerParts
  readonly #retired = new Set<Worker>()
  #worker: Worker
  #isStopped = false

  constructor(parts: VirtualBalancerParts) {
    this.#parts = parts
    const { config, clock, timers, firstPid } = parts
    this.#worker = this.#startWorker(new BalancerState({ config, clock, timers, pid: firstPid }))
  }

  get state(): BalancerState {
    return this.#worker.state
  }

  /** Processes that were reloaded away and still carry something. */
  get retiredProcesses(): number {
    return this.#retired.size
  }

  /** The whole reply to one line of the runtime API (management.txt 9.3). */
  answer(line: string): string {
    return runtimeAnswer(this.#worker.state, line)
  }

  tally(): readonly ServerTally[] {
    return this.state.backends.flatMap((backend) =>
      backend.servers.map(({ config, load: { counters } }) => ({
        backend: backend.name,
        server: config.name,
        sessions: counters.sessions,
        strays: counters.strays,
      })),
    )
  }

  /** As `systemctl reload haproxy`. */
  reload(options: ReloadOptions = {}): void {
    const before = this.#worker
    const next = before.state.reload(before.state.pid + 1, options)
    this.#retired.add(before)
    before.retire()
    this.#worker = this.#startWorker(next)
  }

  /** All processes end at once, with all that they have in work. */
  stop(): void {
    this.#isStopped = true
    for (const worker of [this.#worker, ...this.#retired]) worker.kill()
  }

  /** No process listens. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** As `systemctl start haproxy`, after `stop`. */
  start(): void {
    const { state } = this.#worker
    this.#isStopped = false
    this.#worker = this.#startWorker(state.reload(state.pid + 1))
  }

  #startWorker(state: BalancerState): Worker {
    const { network, timers, clock } = this.#parts
    const worker = new Worker({
      network,
      timers,
      nowMs: () => clock.monoMs(),
      state,
      ended: (ended) => void this.#retired.delete(ended),
    })
    worker.start()
    return worker
  }
}
