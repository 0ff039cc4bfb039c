import type { RebootAnswer } from '../../src/ground/model/host.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { HostsSpec, MachineReading } from '../../src/roll/model/host-pair.ts'
import type { HostMachines, MachineAnswer, MachineCommand } from '../../src/roll/ports/host-machines.ts'
import type { AdminState, InstanceReading, ServerRef } from '../../src/service/model/balancer.ts'
import { MemoryBalancer } from './memory-balancer.ts'
import { aServer } from './roll-world.ts'
import type { VirtualClock } from './virtual-clock.ts'

const VIRTUAL_ADDRESS = '10.0.0.100'

export const twoHosts = (change: Partial<HostsSpec['pairs'][number]> = {}): HostsSpec => ({
  order: 'last',
  pairs: [
    {
      name: 'edge-pair',
      addresses: [VIRTUAL_ADDRESS],
      machines: ['lb-1', 'lb-2'].map((name) => ({ name, ssh: name, instances: [name] })),
      moveAway: ['away'],
      moveBack: ['back'],
      runs: 'onHost',
      commandTimeoutMs: 5000,
      moveLimitMs: 10_000,
      connectionsLimitMs: 30_000,
      ...change,
    },
  ],
})

interface Machine {
  boots: number
  isOn: boolean
  isAway: boolean
  hasSsh: boolean
  /** It keeps its address, whatever it is told. */
  isStuck: boolean
  connections: number
}

const BOOT_MS = 20_000
const FAILOVER_MS = 700
const bootIdOf = (name: string, boots: number): string =>
  `${name === 'lb-1' ? 'aaaaaaaa' : 'bbbbbbbb'}-0000-4000-8000-00000000000${boots}`

/** Two machines with an instance of `edge` each, and a virtual address that goes to the first of them that may have it. */
export class MemoryPair extends MemoryBalancer {
  readonly #clock: VirtualClock
  readonly #machines = new Map<string, Machine>()
  #holder = 'lb-1'
  /** Both have it, or none. */
  fault: 'several' | 'none' | undefined
  /** What must never be. */
  readonly wrongs: string[] = []
  readonly said: string[] = []
  /** A machine that is told to reboot. */
  onReboot: (name: string) => void = () => undefined
  bootsAgain = true

  constructor(clock: VirtualClock, names: readonly string[] = ['n1', 'n2', 'n3']) {
    super(
      clock,
      ['lb-1', 'lb-2'].flatMap((instance) =>
        names.map((server) => aServer(server, { ref: { instance, backend: 'web', server }, weight: 10 })),
      ),
    )
    this.#clock = clock
    for (const name of ['lb-1', 'lb-2']) {
      const blank = { boots: 0, isOn: true, isAway: false, hasSsh: true, isStuck: false, connections: 0 }
      this.#machines.set(name, blank)
    }
  }

  machine(name: string): Machine {
    const machine = this.#machines.get(name)
    if (machine === undefined) throw new Error(`no machine ${name}`)
    return machine
  }

  has(name: string): boolean {
    return this.#machines.has(name)
  }

  get holder(): string {
    return this.#holder
  }

  boots(): readonly number[] {
    return ['lb-1', 'lb-2'].map((name) => this.machine(name).boots)
  }

  /** The way to them by ssh. */
  readonly ssh: HostMachines = {
    read: (name) => this.#lookAt(name),
    run: (name, command) => this.#run(name, command),
  }

  #lookAt(name: string): Promise<MachineReading> {
    const machine = this.machine(name)
    if (!machine.isOn || !machine.hasSsh)
      return Promise.reject(new WorldError(`ssh ${name}: no route`, { code: 'HOST_UNREACHABLE', retry: 'backoff' }))
    const own = name === 'lb-1' ? '10.0.0.11' : '10.0.0.12'
    const holds = this.fault === 'several' || (this.fault === undefined && this.#holder === name)
    return Promise.resolve({
      bootId: bootIdOf(name, machine.boots),
      addresses: ['127.0.0.1', own, '10.0.0.10', ...(holds ? [VIRTUAL_ADDRESS] : [])],
    })
  }

  async #run(name: string, { argv }: MachineCommand): Promise<MachineAnswer> {
    this.said.push(`${name} ${argv.join(' ')}`)
    const machine = this.machine(name)
    if (!machine.isOn) return { ok: false, text: 'no route' }
    machine.isAway = argv[0] === 'away'
    this.#elect()
    return { ok: true }
  }

  async reboot(name: string, bootId: string): Promise<RebootAnswer> {
    const machine = this.machine(name)
    const now = bootIdOf(name, machine.boots)
    if (!machine.isOn) return { kind: 'unknown', text: 'no route' }
    if (now !== bootId) return { kind: 'otherBoot', bootId: now }
    const other = this.machine(name === 'lb-1' ? 'lb-2' : 'lb-1')
    if (this.#holder === name) this.wrongs.push(`${name} was rebooted with the address on it`)
    if (!other.isOn) this.wrongs.push(`${name} was rebooted while the other machine was off`)
    this.onReboot(name)
    void this.#reboot(name)
    return { kind: 'sent' }
  }

  override async read(instance: string): Promise<InstanceReading> {
    const { isOn, boots } = this.machine(instance)
    if (!isOn) throw new WorldError('connection refused', { code: 'BALANCER_UNREACHABLE', retry: 'backoff' })
    return { ...(await super.read(instance)), process: `${100 + boots}` }
  }

  async clientConnections(instance: string): Promise<number> {
    return this.machine(instance).connections
  }

  async setWeight(ref: ServerRef, weight: number): Promise<void> {
    this.change(ref, { weight })
  }

  /** As a person at the runtime socket of one instance does it. */
  async set(instance: string, server: string, state: AdminState): Promise<void> {
    await this.setState({ instance, backend: 'web', server }, state)
  }

  async #reboot(name: string): Promise<void> {
    const machine = this.machine(name)
    machine.isOn = false
    const never = new AbortController().signal
    this.#elect()
    await this.#clock.sleep(BOOT_MS, never)
    if (!this.bootsAgain) return
    machine.boots += 1
    machine.isOn = true
    machine.isAway = false
    // What commands had set is gone with the process.
    for (const { ref } of (await super.read(name)).servers) this.change(ref, { ...READY, weight: 1 })
    this.#elect()
  }

  /** VRRP: the first machine that is on and may have it gets it, a moment later. */
  #elect(): void {
    const wants = ['lb-1', 'lb-2'].filter((name) => this.machine(name).isOn && !this.machine(name).isAway)
    const stuck = ['lb-1', 'lb-2'].find((name) => this.machine(name).isOn && this.machine(name).isStuck)
    const next = stuck ?? wants[0] ?? this.#holder
    const never = new AbortController().signal
    void this.#clock.sleep(FAILOVER_MS, never).then(() => {
      this.#holder = next
    })
  }
}

const READY = { adminState: 'ready', ownState: 'ready' } as const
export const stateOf = (pair: MemoryPair, server: string): readonly (AdminState | undefined)[] =>
  ['lb-1', 'lb-2'].map((instance) => pair.state(server, instance))
