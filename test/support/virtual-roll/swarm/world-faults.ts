import type { Scene } from '../checkers/scene.ts'
import { ControlTarget } from '../control-target.ts'
import type { VirtualAgents } from '../virtual-agents.ts'
import type { Detacher } from '../virtual-detacher.ts'
import { giveWeight, putBack, reloadByHand, setByHand, takeWeight } from './by-hand.ts'
import { staticManifests } from './pods-kind.ts'
import type { WorldFault } from './world-fault.ts'
import type { WorldKind } from './world-kind.ts'

interface WorldFaultParts {
  readonly scene: Scene
  readonly agents: VirtualAgents | undefined
  readonly detacher: Detacher | undefined
  readonly world: WorldKind
  readonly onFault: (fault: WorldFault) => void
  /** Since the first roll began. */
  readonly sinceMs: () => number
}

/** The machine of the prober, where it can be cut off. */
export const PROBER_HOST = 'prober'
const RECORD = 'evenkeel.dev/record'

const ETCD = 'etcd'

const AWAY: ReadonlySet<WorldFault['kind']> = new Set(['agent', 'memberAway', 'detacherAway'])

type Of<Kind extends WorldFault['kind']> = Extract<WorldFault, { readonly kind: Kind }>

/** The faults that only some worlds know, from `begin` until `heal`. */
export class WorldFaults {
  readonly #parts: WorldFaultParts
  readonly #control: ControlTarget | undefined
  readonly #callOffs: (() => void)[] = []
  /** Times in which it is, one within the other. */
  #registryAway = 0

  constructor(parts: WorldFaultParts) {
    this.#parts = parts
    const { network } = parts.scene.cluster
    const { control } = parts.world
    if (control === undefined) return
    network.addHost(PROBER_HOST)
    this.#control = new ControlTarget(network, control)
  }

  /** Until then an agent, a detacher or a static pod of the world is away or begins again, after the beginning of the first roll; 0: none. */
  get awayUntilMs(): number {
    const ends = this.#parts.world.faults.map((fault) => {
      if (fault.kind === 'agentRestarted') return fault.atMs
      return AWAY.has(fault.kind) && 'toMs' in fault ? fault.toMs : 0
    })
    return Math.max(0, ...ends)
  }

  begin(): void {
    const { scene, world } = this.#parts
    for (const fault of world.faults) {
      const atMs = 'atMs' in fault ? fault.atMs : fault.fromMs
      this.#callOffs.push(scene.cluster.time.later(atMs, () => this.#happen(fault)))
    }
  }

  /** What lasts ends by itself. */
  heal(): void {
    for (const callOff of this.#callOffs) callOff()
  }

  isSilent(instance: string): boolean {
    return !this.wasHeardSince(instance, 0)
  }

  /** The runtime API of that instance answered all that time. */
  wasHeardSince(instance: string, agoMs: number): boolean {
    const now = this.#parts.sinceMs()
    return !this.#parts.world.faults.some(
      (fault) =>
        fault.kind === 'instanceSilent' &&
        fault.instance === instance &&
        fault.fromMs <= now &&
        now - agoMs < fault.toMs,
    )
  }

  #happen(fault: WorldFault): void {
    const { scene, onFault } = this.#parts
    onFault(fault)
    switch (fault.kind) {
      case 'instanceReload':
        reloadByHand(scene, fault)
        return
      case 'instanceByHand':
        setByHand(scene, fault)
        return
      case 'outage':
        this.#outage(fault)
        return
      case 'weightless':
        takeWeight(scene, fault)
        scene.cluster.time.later(fault.toMs - fault.fromMs, () => giveWeight(scene, fault))
        return
      case 'controlFails':
        this.#failControl(fault)
        return
      case 'proberCutOff':
        this.#cutOff(fault)
        return
      case 'agent':
        this.#hurtAgent(fault)
        return
      case 'agentRestarted':
        this.#parts.agents?.restart(fault.node)
        scene.hurtAgents.push({ node: fault.node, from: scene.nowMs, to: scene.nowMs })
        return
      case 'detacherAway':
        this.#takeDetacher(fault)
        return
      case 'memberAway':
        this.#takeMember(fault)
        return
      case 'registryAway':
        this.#takeRegistry(fault)
        return
      case 'instanceSilent':
        return
    }
  }

  #outage({ instance, backend, fromMs, toMs }: Of<'outage'>): void {
    const { scene } = this.#parts
    const serving = scene
      .servers()
      .filter((server) => server.instance === instance && server.backend === backend && server.admin === 'ready')
    for (const { node } of serving) setByHand(scene, { instance, server: `${backend}/${node}`, to: 'maint' })
    scene.cluster.time.later(toMs - fromMs, () => {
      const recorded = scene.nodes().filter(({ metadata }) => metadata.annotations?.[RECORD] !== undefined)
      const isOut = (node: string): boolean => recorded.some(({ metadata }) => metadata.name === node)
      for (const server of serving) if (server.admin === 'maint' && !isOut(server.node)) putBack(scene, server)
    })
  }

  #hurtAgent({ node, how, fromMs, toMs }: Of<'agent'>): void {
    const { scene, agents } = this.#parts
    agents?.setTrouble(node, how)
    scene.hurtAgents.push({ node, from: scene.nowMs, to: scene.nowMs + toMs - fromMs })
    scene.cluster.time.later(toMs - fromMs, () => agents?.setTrouble(node, undefined))
  }

  #takeDetacher({ fromMs, toMs }: Of<'detacherAway'>): void {
    const { scene, detacher } = this.#parts
    if (detacher === undefined) return
    detacher.isAway = true
    scene.cluster.time.later(toMs - fromMs, () => {
      detacher.isAway = false
    })
  }

  #takeMember({ node, fromMs, toMs }: Of<'memberAway'>): void {
    const { scene } = this.#parts
    const { machines, time } = scene.cluster
    const files = machines.manifestsOf(node)
    scene.handMembers.push({ node, from: scene.nowMs, to: scene.nowMs + toMs - fromMs })
    files.put(ETCD, undefined)
    time.later(toMs - fromMs, () => files.put(ETCD, staticManifests(this.#parts.world.pods ?? {}).get(ETCD)))
  }

  #takeRegistry({ fromMs, toMs }: Of<'registryAway'>): void {
    const { scene } = this.#parts
    const { machines, time } = scene.cluster
    scene.pullsLate = true
    this.#registryAway += 1
    machines.images.isDown = true
    time.later(toMs - fromMs, () => {
      this.#registryAway -= 1
      machines.images.isDown = this.#registryAway > 0
    })
  }

  #failControl({ how, fromMs, toMs }: Of<'controlFails'>): void {
    const { scene, world } = this.#parts
    const control = this.#control
    if (control === undefined || world.control !== 'well') return
    control.state = how
    scene.controlFailuresMs.push({ from: scene.nowMs, to: scene.nowMs + toMs - fromMs })
    scene.cluster.time.later(toMs - fromMs, () => {
      control.state = 'well'
    })
  }

  #cutOff({ fromMs, toMs }: Of<'proberCutOff'>): void {
    const { scene, world } = this.#parts
    const { network, instances, time } = scene.cluster
    const asked = [...instances.map(({ host }) => host), this.#control?.host ?? '']
    const heals = asked.map((host) => network.partition(PROBER_HOST, host))
    const span = { from: scene.nowMs, to: scene.nowMs + toMs - fromMs }
    if (world.control === 'well') {
      scene.controlFailuresMs.push(span)
      scene.blindMs.push(span)
    }
    time.later(toMs - fromMs, () => {
      for (const heal of heals) heal()
    })
  }
}
