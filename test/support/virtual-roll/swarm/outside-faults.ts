import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import { BALANCER_HOST, type VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import type { SshLuck } from '../../../../src/sim/doors/machine-host.ts'
import type { Scene } from '../checkers/scene.ts'
import { FIRST_INSTANCE } from '../checkers/server-word.ts'
import type { DiskLuck } from '../memory-journal.ts'
import type { Outside } from '../roll-ports.ts'
import { ApiFaults } from './api-faults.ts'
import { giveWeight, putBack, reloadByHand, setByHand, takeWeight } from './by-hand.ts'
import type { Cue } from './cue.ts'
import { type Fault, lastOf, shifted } from './fault.ts'
import { type CellCounts, FaultTally } from './fault-tally.ts'
import { HandFaults, type HandKind } from './hand-faults.ts'
import type { StepUnderWay, StepWatch } from './step-watch.ts'
import type { WorldFault } from './world-fault.ts'

interface OutsideFaultParts {
  readonly cluster: VirtualCluster
  readonly scene: Scene
  readonly random: SeededRandom
  readonly faults: readonly Fault[]
  readonly cues: readonly Cue[]
  readonly steps: StepWatch
  /** The process of the first roll is killed, and people go on as that says. */
  readonly kill: (next: 'resume' | 'amended' | 'journalLost') => void
}

const AWAY: ReadonlySet<Fault['kind']> = new Set(['partition', 'nodeDies', 'nodeAnew'])
/** From the step that brings it about until people switch a machine on whose boot went wrong. */
const BAD_BOOT_MS = 30_000
/** By how much the watches of a kind are late at most while the API server is slow. */
const LATEST_WATCH_MS = 3_000
/** Of steps of any other roll nothing is brought about. */
export const FIRST_ROLL = 'first'

/** Everything that goes wrong around the rolls of one world, from `begin` until `heal`. */
export class OutsideFaults {
  readonly #parts: OutsideFaultParts
  readonly #api: ApiFaults
  readonly #tally: FaultTally
  readonly #hands: HandFaults
  /** Of the scenario, and what steps have brought about since. */
  readonly #faults: Fault[]
  readonly #cues: Set<Cue>
  readonly #passed = new Map<Cue, number>()
  /** How often a machine had booted when its boots began to go wrong. */
  readonly #bootsBefore = new Map<string, number>()
  #startedMs = Number.POSITIVE_INFINITY
  /** When the balancer has done all that it was sent. */
  #balancerDoneMs = 0
  /** When all is over that steps have brought about. */
  #cuedUntilMs = 0
  #isHealed = false
  /** Of the API server, how many go on. */
  #outages = 0
  readonly #callOffs: (() => void)[] = []

  constructor(parts: OutsideFaultParts) {
    this.#parts = parts
    this.#faults = [...parts.faults]
    this.#cues = new Set(parts.cues)
    this.#tally = new FaultTally(parts.steps)
    this.#hands = new HandFaults(parts.scene)
    const sinceMs = (): number => this.sinceMs
    this.#api = new ApiFaults({ ...parts, faults: this.#faults, tally: this.#tally, sinceMs })
    parts.steps.listen((when, underWay) => this.#stepPassed(when, underWay))
  }

  get counts(): CellCounts {
    return this.#tally.counts
  }

  /** Until when nodes are away or cut off from the balancer, by all that is known now. */
  get awayUntilMs(): number {
    return Math.max(0, ...this.#faults.map((fault) => (AWAY.has(fault.kind) ? lastOf(fault) : 0)))
  }

  /** A step is waited for that is to bring something about, or what one brought about is not over. */
  get isPending(): boolean {
    return this.#cues.size > 0 || this.#cuedUntilMs > this.sinceMs
  }

  get sinceMs(): number {
    return this.#parts.cluster.time.monoMs() - this.#startedMs
  }

  outside(roll: string): Outside {
    return {
      passageOf: (request) => this.#api.passageOf(request, roll),
      sshLuckOf: () => this.#sshLuck(roll),
      isBalancerSilent: () => this.#isSilent(roll),
      balancerLateMs: () => this.#balancerLateMs(roll),
    }
  }

  diskLuck(roll: string): DiskLuck {
    const fault = this.#current('journal')
    if (fault === undefined) return { kind: 'well' }
    this.#tally.happened(fault, roll)
    return fault.luck === 'slow' ? { kind: 'slow', byMs: fault.byMs } : { kind: fault.luck }
  }

  /** A machine goes down by a roll's command, to a boot that may go wrong. */
  rebooted(node: string): void {
    for (const fault of this.#faults) if (fault.kind === 'machine' && fault.node === node) this.#tally.happened(fault)
  }

  begin(): void {
    this.#startedMs = this.#parts.cluster.time.monoMs()
    for (const fault of this.#parts.faults) this.#start(fault)
  }

  #start(fault: Fault): void {
    const { time } = this.#parts.cluster
    if (fault.kind === 'machine') this.#bringBadLuck(fault)
    if (fault.kind === 'api' && fault.what === 'away') this.#takeApiAway(fault)
    if (fault.kind === 'api' && fault.what === 'slow') this.#delayWatches(fault)
    if ('atMs' in fault) this.#callOffs.push(time.later(fault.atMs - this.sinceMs, () => this.#happen(fault)))
    if (fault.kind === 'partition') this.#cutOff(fault)
    if (fault.kind === 'weight0') this.#takeWeight(fault)
    if (fault.kind === 'podComes' || fault.kind === 'volumeLeaks')
      time.later(fault.fromMs - this.sinceMs, () => this.#byHand(fault))
    if (fault.kind === 'nodeDies') time.later(fault.fromMs - this.sinceMs, () => this.#die(fault))
  }

  #stepPassed(when: 'begins' | 'ends', { roll, step, node }: StepUnderWay): void {
    if (roll !== FIRST_ROLL || this.#isHealed) return
    for (const cue of this.#cues) {
      if (cue.step !== step || cue.when !== when) continue
      const passed = (this.#passed.get(cue) ?? 0) + 1
      this.#passed.set(cue, passed)
      if (passed !== cue.nth) continue
      this.#cues.delete(cue)
      const others = this.#parts.cluster.nodes.filter((name) => name !== node)
      const names = { current: node, other: others[this.#parts.random.below(others.length)] ?? node }
      for (const fault of cue.faults) this.#add(shifted(fault, this.sinceMs + cue.afterMs, names))
    }
  }

  #add(fault: Fault): void {
    const overMs = fault.kind === 'machine' ? this.sinceMs + BAD_BOOT_MS : lastOf(fault)
    this.#cuedUntilMs = Math.max(this.#cuedUntilMs, overMs)
    this.#faults.push(fault)
    this.#start(fault)
  }

  #bringBadLuck(fault: Extract<Fault, { kind: 'machine' }>): void {
    const machine = this.#parts.cluster.machines.get(fault.node)
    machine?.setLuck(fault.luck)
    this.#bootsBefore.set(fault.node, machine?.boots ?? 0)
    this.#tally.lasts(fault, () => {
      if (this.#isHealed || machine === undefined) return false
      const isDark = fault.luck.kind === 'slow' || fault.luck.kind === 'never'
      return isDark ? !machine.isOn : machine.isOn && machine.boots > (this.#bootsBefore.get(fault.node) ?? 0)
    })
  }

  /** Machines do as they should again, and those that hang are switched on; what people took out they put back. */
  heal(): void {
    const { cluster } = this.#parts
    this.#isHealed = true
    for (const callOff of this.#callOffs) callOff()
    // Of two for the same machine the last is what it had.
    const lucks = new Map(this.#faults.flatMap((fault) => (fault.kind === 'machine' ? [[fault.node, fault.luck]] : [])))
    for (const [node, luck] of lucks) {
      const machine = cluster.machines.get(node)
      machine?.setLuck({ kind: 'returns' })
      if (machine === undefined) continue
      const { bootLuck } = machine
      if (bootLuck?.kind === 'noKubelet' || bootLuck?.kind === 'neverReady') this.#hands.restart(node)
      else if (luck.kind !== 'slow') machine.powerOn()
    }
    for (const fault of this.#faults) if (fault.kind === 'nodeDies') this.#hands.switchOn(fault.node)
    this.putBackByHand()
  }

  /**
   * What people took out or cordoned, and no roll has out, they put back; so they do for a node that lost its record.
   * `isBetween`: no process of the first roll runs.
   */
  putBackByHand(isBetween = false): void {
    const { scene } = this.#parts
    this.#hands.putBackCordons()
    this.#hands.withdrawKeptRequests(isBetween)
    for (const server of scene.servers()) {
      const { key, node, admin, by } = server
      // Its balancer has no runtime API.
      if (by !== 'socket') continue
      const isTheirs = scene.handStates.has(key) || scene.registeredAnew.has(node)
      if (!isTheirs || admin === 'ready' || scene.prior.servers.get(key) !== 'ready') continue
      const record = scene.nodes().find(({ metadata }) => metadata.name === node)?.metadata.annotations?.[RECORD]
      if (record === undefined) putBack(scene, server)
    }
  }

  /** Nothing that a roll needs was out of reach for some of the time since then. */
  wasWellSince(agoMs: number): boolean {
    const from = this.sinceMs - agoMs
    const isSilent = this.#faults.some(
      (fault) =>
        (fault.kind === 'balancerSilent' || fault.kind === 'balancerSlow') &&
        fault.fromMs <= this.sinceMs &&
        fault.toMs >= from,
    )
    return !isSilent && !this.#api.isTroubledSince(from)
  }

  #happen(fault: Extract<Fault, { atMs: number }>): void {
    const { cluster, scene } = this.#parts
    const { time, world } = cluster
    if (fault.kind === 'nodeAnew' || fault.kind === 'cordon' || fault.kind === 'leaseDeleted') {
      this.#byHand(fault)
      return
    }
    this.#tally.happened(fault)
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
      case 'oneWatchStops':
        return
      case 'kill':
        this.#parts.kill('resume')
        return
      case 'amended':
      case 'journalLost':
        this.#parts.kill(fault.kind)
        return
    }
  }

  #byHand(fault: Extract<Fault, { kind: HandKind }>): void {
    if (this.#isHealed || !this.#hands.happen(fault)) return
    if ('toMs' in fault) this.#tally.lasts(fault, () => this.sinceMs < fault.toMs)
    else this.#tally.happened(fault)
  }

  #takeWeight(fault: Extract<Fault, { kind: 'weight0' }>): void {
    const { scene, cluster } = this.#parts
    const place = { instance: FIRST_INSTANCE, server: fault.server }
    cluster.time.later(fault.fromMs - this.sinceMs, () => {
      takeWeight(scene, place)
      this.#tally.lasts(fault, () => this.sinceMs < fault.toMs)
      cluster.time.later(fault.toMs - fault.fromMs, () => giveWeight(scene, place))
    })
  }

  /** What only this world knows went wrong. */
  noted(fault: WorldFault): void {
    if ('toMs' in fault) this.#tally.lasts(fault, () => this.sinceMs < fault.toMs)
    else this.#tally.happened(fault)
  }

  #die(fault: Extract<Fault, { kind: 'nodeDies' }>): void {
    if (this.#isHealed || !this.#hands.cutPower(fault.node, fault.toMs - fault.fromMs)) return
    const { time, machines } = this.#parts.cluster
    this.#tally.lasts(fault, () => machines.get(fault.node)?.isOn === false)
    time.later(fault.toMs - fault.fromMs, () => this.#hands.switchOn(fault.node))
  }

  #cutOff(fault: Extract<Fault, { kind: 'partition' }>): void {
    const { node, fromMs, toMs } = fault
    const { cluster, scene } = this.#parts
    const address = scene.servers().find((server) => server.node === node)?.address
    if (address === undefined) return
    cluster.time.later(fromMs - this.sinceMs, () => {
      const isThere = (): boolean => this.sinceMs < toMs
      this.#tally.lasts(fault, isThere)
      const heal = cluster.network.partition(BALANCER_HOST, address)
      scene.partitionsMs.push({ instance: FIRST_INSTANCE, from: scene.nowMs, to: scene.nowMs + toMs - fromMs })
      cluster.time.later(toMs - fromMs, heal)
    })
  }

  /** An API server that is slow hears of commits late itself, of each kind by another lag. */
  #delayWatches({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): void {
    const { time, watchLag } = this.#parts.cluster
    time.later(fromMs - this.sinceMs, () => watchLag.delay(LATEST_WATCH_MS))
    time.later(toMs - this.sinceMs, () => watchLag.delay(0))
  }

  /** For everybody: kubelets, kube-proxies and controllers lose it as well. */
  #takeApiAway({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): void {
    const { time, apiServer } = this.#parts.cluster
    time.later(fromMs - this.sinceMs, () => {
      this.#outages += 1
      apiServer.kill()
    })
    time.later(toMs - this.sinceMs, () => {
      this.#outages -= 1
      if (this.#outages === 0) apiServer.start()
    })
  }

  #isSilent(roll: string): boolean {
    const fault = this.#current('balancerSilent')
    if (fault !== undefined) this.#tally.happened(fault, roll)
    return fault !== undefined
  }

  #balancerLateMs(roll: string): number {
    const now = this.#parts.cluster.time.monoMs()
    const fault = this.#current('balancerSlow')
    if (fault !== undefined) this.#tally.happened(fault, roll)
    this.#balancerDoneMs = Math.max(this.#balancerDoneMs, now + (fault?.byMs ?? 0))
    this.#parts.scene.balancerLateMs = Math.max(this.#parts.scene.balancerLateMs, this.#balancerDoneMs - now)
    return this.#balancerDoneMs - now
  }

  #sshLuck(roll: string): SshLuck {
    const fault = this.#current('ssh')
    if (fault !== undefined) this.#tally.happened(fault, roll)
    return fault?.luck ?? 'well'
  }

  #current<K extends Spanning['kind']>(kind: K): Extract<Spanning, { kind: K }> | undefined {
    const now = this.sinceMs
    const isNow = (fault: Fault): fault is Extract<Spanning, { kind: K }> =>
      fault.kind === kind && 'toMs' in fault && fault.fromMs <= now && now < fault.toMs
    return this.#faults.find(isNow)
  }
}

type Spanning = Extract<Fault, { toMs: number }>

const RECORD = 'evenkeel.dev/record'
