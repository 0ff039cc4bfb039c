import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import { BALANCER_HOST, type VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import type { SshLuck } from '../../../../src/sim/doors/machine-host.ts'
import type { Scene } from '../checkers/scene.ts'
import { FIRST_INSTANCE } from '../checkers/server-word.ts'
import type { Outside } from '../roll-ports.ts'
import { ApiFaults } from './api-faults.ts'
import { putBack, reloadByHand, setByHand } from './by-hand.ts'
import type { Fault } from './fault.ts'

export interface OutsideFaultParts {
  readonly cluster: VirtualCluster
  readonly scene: Scene
  readonly random: SeededRandom
  readonly faults: readonly Fault[]
}

/** Everything that goes wrong around the rolls of one world, from `begin` until `heal`. */
export class OutsideFaults {
  readonly #parts: OutsideFaultParts
  readonly #api: ApiFaults
  #startedMs = Number.POSITIVE_INFINITY
  readonly #callOffs: (() => void)[] = []

  constructor(parts: OutsideFaultParts) {
    this.#parts = parts
    this.#api = new ApiFaults({ ...parts, sinceMs: () => this.sinceMs })
  }

  get sinceMs(): number {
    return this.#parts.cluster.time.monoMs() - this.#startedMs
  }

  get outside(): Outside {
    return {
      passageOf: this.#api.passageOf,
      sshLuckOf: () => this.#sshLuck(),
      isBalancerSilent: () => this.isSilent(),
    }
  }

  begin(): void {
    const { cluster, faults } = this.#parts
    this.#startedMs = cluster.time.monoMs()
    for (const fault of faults) {
      if (fault.kind === 'machine') cluster.machines.get(fault.node)?.setLuck(fault.luck)
      if ('atMs' in fault) this.#callOffs.push(cluster.time.later(fault.atMs, () => this.#happen(fault)))
      if (fault.kind === 'partition') this.#cutOff(fault)
    }
  }

  /** Machines do as they should again, and those that hang are switched on; what people took out they put back. */
  heal(): void {
    const { cluster, scene, faults } = this.#parts
    for (const callOff of this.#callOffs) callOff()
    // Of two for the same machine the last is what it had.
    const lucks = new Map(faults.flatMap((fault) => (fault.kind === 'machine' ? [[fault.node, fault.luck]] : [])))
    for (const [node, luck] of lucks) {
      const machine = cluster.machines.get(node)
      machine?.setLuck({ kind: 'returns' })
      if (machine === undefined || luck.kind === 'slow') continue
      const boots = machine.boots - (scene.prior.boots.get(node) ?? 0)
      if (machine.isOn && boots > 0) {
        scene.handBoots.set(node, (scene.handBoots.get(node) ?? 0) + 1)
        machine.reset()
      } else machine.powerOn()
    }
    this.putBackByHand()
  }

  /** A server that people took out, and no roll has out, is put back by them. */
  putBackByHand(): void {
    const { scene } = this.#parts
    for (const server of scene.servers()) {
      const { key, node, admin } = server
      if (!scene.handStates.has(key) || admin === 'ready' || scene.prior.servers.get(key) !== 'ready') continue
      const record = scene.nodes().find(({ metadata }) => metadata.name === node)?.metadata.annotations?.[RECORD]
      if (record === undefined) putBack(scene, server)
    }
  }

  /** Nothing that a roll needs was out of reach for some of the time since then. */
  wasWellSince(agoMs: number): boolean {
    const from = this.sinceMs - agoMs
    const isSilent = this.#parts.faults.some(
      (fault) => fault.kind === 'balancerSilent' && fault.fromMs <= this.sinceMs && fault.toMs >= from,
    )
    return !isSilent && !this.#api.isTroubledSince(from)
  }

  #happen(fault: Extract<Fault, { atMs: number }>): void {
    const { cluster, scene } = this.#parts
    const { time, world } = cluster
    switch (fault.kind) {
      case 'logForgotten':
        world.store.compact(world.store.revision)
        return
      case 'clock':
        time.jumpWall(fault.byMs)
        return
      case 'byHand':
        setByHand(scene, { instance: FIRST_INSTANCE, server: fault.server, to: fault.to })
        return
      case 'reload':
        reloadByHand(scene, { instance: FIRST_INSTANCE, keepsStates: fault.keepsStates })
        return
      case 'watchesStop':
      case 'kill':
        return
    }
  }

  #cutOff({ node, fromMs, toMs }: Extract<Fault, { kind: 'partition' }>): void {
    const { cluster, scene } = this.#parts
    const address = scene.servers().find((server) => server.node === node)?.address
    if (address === undefined) return
    cluster.time.later(fromMs, () => {
      const heal = cluster.network.partition(BALANCER_HOST, address)
      scene.partitionsMs.push({ instance: FIRST_INSTANCE, from: scene.nowMs, to: scene.nowMs + toMs - fromMs })
      cluster.time.later(toMs - fromMs, heal)
    })
  }

  /** No instance answers. */
  isSilent(): boolean {
    const now = this.sinceMs
    return this.#parts.faults.some(
      (fault) => fault.kind === 'balancerSilent' && fault.fromMs <= now && now < fault.toMs,
    )
  }

  #sshLuck(): SshLuck {
    const now = this.sinceMs
    const fault = this.#parts.faults.find((one) => one.kind === 'ssh' && one.fromMs <= now && now < one.toMs)
    return fault?.kind === 'ssh' ? fault.luck : 'well'
  }
}

const RECORD = 'evenkeel.dev/record'
