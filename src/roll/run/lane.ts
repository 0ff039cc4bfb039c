import type { Wakeup } from '../../ground/loop/wakeup.ts'
import { OVER } from '../../ground/model/over.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import type { ServerRef } from '../../service/model/balancer.ts'
import { conditionsWanted } from '../decide/announce/conditions-wanted.ts'
import type { OutServer } from '../decide/availability/reload-spans.ts'
import { type DnsWant, dnsWanted, dnsWantOf } from '../decide/dns/dns-wanted.ts'
import { podsPutBack } from '../decide/drain/put-back.ts'
import { kuredLockWanted } from '../decide/kured/lock-taken.ts'
import { hasCurrent } from '../decide/node-snapshot.ts'
import type { NodeBeside, RollSnapshot } from '../decide/snapshot.ts'
import type { AnySnapshot } from '../decide/subject.ts'
import type { AnyDecision, Decision } from '../model/decision.ts'
import type { MachinePlace } from '../model/host-pair.ts'
import { chooseNode } from './choose-node.ts'
import type { GatherParts } from './gather.ts'
import { NodePass } from './node-pass.ts'
import { type LaneRequests, wantRequests } from './operator-requests.ts'
import type { MachineEffects } from './pair/machine-effects.ts'
import { MachinePass } from './pair/machine-pass.ts'
import { PairWatch } from './pair/pair-watch.ts'
import type { Performer } from './perform.ts'
import type { RollEngineParts } from './roll-engine-parts.ts'
import { machinesBegun, machinesLeft, verdictFor } from './run-state.ts'
import { PASS_AT_LEAST_EVERY_MS, untilSettled } from './until-settled.ts'

interface LaneParts extends GatherParts, LaneRequests {
  readonly performer: Performer
  readonly wakeup: Wakeup
  /** Lanes that go first, and those that do not. */
  readonly others: () => { readonly first: readonly Lane[]; readonly after: readonly Lane[] }
  /** Before each choice of a node, and before each pass. */
  readonly choosing: () => void
  readonly passing: () => void
  /** What this lane waits for of DNS. */
  readonly wantDns: () => void
  /** A node is through, restored, or to be kept out. */
  readonly settled: (snapshot: RollSnapshot | undefined) => void
  /** A machine is through, restored, or left as it is. */
  readonly machineSettled: (pass: MachinePass) => void
  readonly machineEffects: MachineEffects
  readonly ports: Pick<RollEngineParts, 'balancers' | 'machines'>
}

/** The passes over a node or a machine. */
interface Passes<Decided extends AnyDecision> {
  readonly snapshot: AnySnapshot | undefined
  pass(work: AbortSignal, interrupt: AbortSignal): Promise<Decided>
}

/** `work`: what is under way is finished when `interrupt` comes. */
interface Signals {
  readonly work: AbortSignal
  readonly interrupt: AbortSignal
}

/**
 * One node or machine of a roll at a time, each from its first pass to its last. A roll with `parallel` has several lanes, each with a
 * slot of its own; they share what is read of the world, and the verdict: once one of them stops, no lane begins a node. Machines of
 * load balancers are the first lane's, and none is in work beside a node.
 */
export class Lane {
  readonly #parts: LaneParts
  #node: string | undefined
  #pass: NodePass | undefined
  #machine: MachinePass | undefined
  #wantsDns: DnsWant | undefined
  #strays = 0

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  /** The node in work, or the one that the roll keeps out after its end. */
  get node(): string | undefined {
    return this.#node
  }

  get snapshot(): RollSnapshot | undefined {
    return this.#pass?.snapshot
  }

  /** The passes over the machine in work. */
  get machine(): MachinePass | undefined {
    return this.#machine
  }

  get wantsDns(): DnsWant | undefined {
    return this.#wantsDns
  }

  get strays(): number {
    const seen = Object.values(this.snapshot?.evidence.detached ?? {})
    return this.#strays + seen.reduce((sum, { strays }) => sum + strays, 0)
  }

  wake(): void {
    this.#parts.wakeup.wake()
  }

  /** Until no node is left to begin. */
  async run(signals: Signals): Promise<void> {
    for (;;) {
      this.#parts.choosing()
      const choice = chooseNode(
        this.#parts,
        this.#beside().flatMap(({ node }) => node ?? []),
      )
      if (choice?.kind !== 'node') this.#parts.kuredLock?.leave(this)
      if (choice === undefined) return
      if (choice.kind === 'later') await this.#parts.wakeup.next(PASS_AT_LEAST_EVERY_MS, signals.interrupt)
      else if ((await this.#roll(choice.name, signals)) === 'keptOut') return
    }
  }

  /**
   * The machines of the load balancers: those that an earlier process of this run has begun, or all that are left. None is begun in
   * the place of one that was put back: their order has reasons.
   */
  async runMachines(which: 'begun' | 'all', signals: Signals): Promise<void> {
    const { run } = this.#parts
    for (const place of machinesLeft(run)) {
      const isBegun = machinesBegun(run).includes(place.host.name)
      let isToCome = isBegun || (which === 'all' && run.verdict === undefined)
      while (isToCome) isToCome = (await this.#rollMachine(place, signals)) && which === 'all'
    }
  }

  async keepDetached(signal: AbortSignal, instance: string): Promise<void> {
    await this.#pass?.keepDetached(signal, instance)
  }

  mustBeOut(): readonly OutServer[] {
    return this.#pass?.mustBeOut() ?? []
  }

  serversOf(instance: InstanceSnapshot): readonly ServerRef[] {
    return this.#pass?.serversOf(instance) ?? []
  }

  /** Until the node is settled: through, restored, or to be kept out. */
  async #roll(node: string, signals: Signals): Promise<'through' | 'keptOut'> {
    const { performer, run, conditions, leaving } = this.#parts
    const under = {
      node,
      beside: () => this.#besideNodes(),
      isLeaving: () => this.#pass?.isLeaving === true,
      leaving: () => leaving.of(node),
    }
    const pass = new NodePass({ ...this.#parts, under, performer })
    this.#node = node
    this.#pass = pass
    await this.#untilSettled(pass, signals, (decision: Decision) => {
      this.#wantsDns = pass.snapshot && dnsWanted(pass.snapshot, decision)
      this.#parts.wantDns()
      conditions?.want(pass.snapshot && conditionsWanted(pass.snapshot, decision))
    })
    leaving.settled(node)
    const isKeptOut = verdictFor(run, node)?.keepOut === true
    this.#parts.settled(pass.snapshot)
    if (isKeptOut) return 'keptOut'
    this.#strays = this.strays
    this.#pass = undefined
    this.#node = undefined
    for (const other of this.#beside()) other.wake()
    return 'through'
  }

  /** Until the machine is through, put back, or left as it is. True: its turn comes again. */
  async #rollMachine(place: MachinePlace, signals: Signals): Promise<boolean> {
    const { machineEffects: effects, ports, clock, machineSettled, kuredLock } = this.#parts
    const over = new AbortController()
    const watch = new PairWatch({ ...ports, ...place, clock, onNews: () => this.wake() })
    const pass = new MachinePass({ ...this.#parts, place, effects, watch })
    this.#machine = pass
    const watching = watch.run(AbortSignal.any([signals.work, over.signal]))
    try {
      await Promise.race([this.#untilSettled(pass, signals), watching])
      await pass.release(signals.interrupt)
      machineSettled(pass)
      this.#machine = undefined
      kuredLock?.leave(this)
      return pass.isToCome
    } finally {
      over.abort(OVER)
      await watching.catch(() => undefined)
    }
  }

  /** `passed`: after each pass. */
  #untilSettled<Decided extends AnyDecision>(
    passes: Passes<Decided>,
    { work, interrupt }: Signals,
    passed: (decision: Decided) => void = () => undefined,
  ): Promise<void> {
    const { kuredLock } = this.#parts
    const pass = async (): Promise<Decided> => {
      const decision = await passes.pass(work, interrupt)
      const { snapshot } = passes
      passed(decision)
      wantRequests(this.#parts, snapshot, decision)
      kuredLock?.want(this, snapshot && kuredLockWanted(snapshot, decision))
      return decision
    }
    return untilSettled({ ...this.#parts, pass }, interrupt)
  }

  #beside(): readonly Lane[] {
    const { first, after } = this.#parts.others()
    return [...first, ...after]
  }

  #besideNodes(): readonly NodeBeside[] {
    const { first, after } = this.#parts.others()
    const nodesOf = (lane: Lane, goesFirst: boolean): readonly NodeBeside[] =>
      lane.#node === undefined ? [] : [{ node: lane.#node, goesFirst, ...lane.#leaves() }]
    return [...first.flatMap((lane) => nodesOf(lane, true)), ...after.flatMap((lane) => nodesOf(lane, false))]
  }

  #leaves(): Omit<NodeBeside, 'node' | 'goesFirst'> {
    const s = this.snapshot
    const putBack = s !== undefined && hasCurrent(s) ? podsPutBack(s).map(({ uid }) => uid) : []
    return {
      isLeaving: this.#pass?.isLeaving === true,
      ...(this.#parts.keeper.state().kind === 'held' ? { hasSlot: true } : {}),
      ...(putBack.length === 0 ? {} : { putBack }),
    }
  }
}

export const nextDnsWant = (lanes: readonly Lane[]): DnsWant | undefined =>
  dnsWantOf(lanes.flatMap(({ wantsDns }) => wantsDns ?? []))

/** All lanes until each is through. Whatever ends one of them, none is left in the middle of what it writes. */
export async function inLanes(lanes: readonly Lane[], signals: Signals): Promise<void> {
  const all = lanes.map((lane) => lane.run(signals))
  try {
    await Promise.all(all)
  } finally {
    if (signals.interrupt.aborted) await Promise.allSettled(all)
  }
}
