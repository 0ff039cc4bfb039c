import type { Timers } from '../../../src/ground/ports/timers.ts'
import type { Destination } from '../../../src/sim/network/network.ts'
import type { DataPlane, NodePortRule, PodProcess, PodStart } from '../../../src/sim/plane/data-plane.ts'

/** A process as only its machine can see it. */
export class MemoryProcess implements PodProcess {
  readonly start: PodStart
  readonly address: string
  readonly #timers: Timers
  readonly #onExit: ((code: number) => void)[] = []
  readonly #onReadiness: (() => void)[] = []
  #state: 'starting' | 'ready' | 'stopping' | 'ended' | 'dark' = 'starting'
  /** What it was told to forward to, each time: `10.244.0.2:8080 …`. */
  readonly forwards: string[] = []
  /** SIGTERM, SIGKILL, its end, and the end of its sandbox, in order. */
  readonly fate: string[] = []

  constructor(start: PodStart, address: string, timers: Timers) {
    this.start = start
    this.address = address
    this.#timers = timers
    timers.later(start.app.startMs, () => {
      if (this.#state === 'starting') this.#become('ready')
    })
    const { ends } = start.app
    if (ends !== undefined) timers.later(ends.afterMs, () => this.exit(ends.exitCode))
  }

  get runs(): boolean {
    return this.#state !== 'ended' && this.#state !== 'dark'
  }

  isReady(): boolean {
    return this.#state === 'ready'
  }

  onReadiness(run: () => void): void {
    this.#onReadiness.push(run)
  }

  setEndpoints(endpoints: readonly Destination[]): void {
    this.forwards.push(endpoints.map(({ host, port }) => `${host}:${port}`).join(' '))
  }

  terminate(): void {
    if (!this.runs) return
    this.fate.push('SIGTERM')
    const { stop, graceMs } = this.start.app
    if (stop === 'immediate') {
      this.exit(0)
      return
    }
    this.#become('stopping')
    this.#timers.later(graceMs, () => this.exit(0))
  }

  kill(): void {
    if (this.runs) this.fate.push('SIGKILL')
    this.exit(137)
  }

  onExit(run: (code: number) => void): void {
    this.#onExit.push(run)
  }

  remove(): void {
    this.kill()
    this.fate.push('removed')
  }

  /** By itself. */
  exit(code: number): void {
    if (!this.runs) return
    this.fate.push(`ended with ${code}`)
    this.#become('ended')
    for (const run of this.#onExit) run(code)
  }

  losePower(): void {
    this.#state = 'dark'
  }

  #become(state: 'ready' | 'stopping' | 'ended'): void {
    this.#state = state
    for (const run of this.#onReadiness) run()
  }
}

/** Nodes and processes that carry no requests. */
export class MemoryPlane implements DataPlane {
  readonly #timers: Timers
  readonly #nodes = new Set<string>()
  readonly #dark = new Set<string>()
  readonly #rules = new Map<string, readonly NodePortRule[]>()
  #addresses = 0
  /** All that were ever started, the oldest first. */
  readonly processes: MemoryProcess[] = []

  constructor(timers: Timers) {
    this.#timers = timers
  }

  addNode(node: string): void {
    this.#nodes.add(node)
  }

  removeNode(node: string): void {
    this.#nodes.delete(node)
  }

  newAddress(): string {
    this.#addresses += 1
    return `10.244.0.${this.#addresses + 1}`
  }

  startPod(start: PodStart): MemoryProcess {
    if (!this.#nodes.has(start.node) || this.#dark.has(start.node)) throw new Error(`${start.node} is not there`)
    const address = start.address ?? this.newAddress()
    const process = new MemoryProcess(start, address, this.#timers)
    this.processes.push(process)
    return process
  }

  setRules(node: string, rules: readonly NodePortRule[]): void {
    this.#rules.set(node, rules)
  }

  setPower(node: string, isOn: boolean): void {
    if (isOn) {
      this.#dark.delete(node)
      return
    }
    this.#dark.add(node)
    this.#rules.delete(node)
    for (const process of this.processes) if (process.start.node === node) process.losePower()
  }

  isOn(node: string): boolean {
    return !this.#dark.has(node)
  }

  /** `30080 → 10.244.0.2:8080`; undefined where no kube-proxy has written any since the last boot. */
  rulesOf(node: string): readonly string[] | undefined {
    return this.#rules
      .get(node)
      ?.map(({ nodePort, endpoints }) =>
        [nodePort, '→', ...endpoints.map(({ host, port }) => `${host}:${port}`)].join(' '),
      )
  }
}
