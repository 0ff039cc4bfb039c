import type { Wakeup } from '../../ground/loop/wakeup.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import type { ServerRef } from '../../service/model/balancer.ts'
import { conditionsWanted } from '../decide/announce/conditions-wanted.ts'
import type { OutServer } from '../decide/availability/reload-spans.ts'
import { type DnsWant, dnsWanted } from '../decide/dns/dns-wanted.ts'
import { kuredLockWanted } from '../decide/kured/lock-taken.ts'
import type { NodeBeside, RollSnapshot } from '../decide/snapshot.ts'
import type { Decision } from '../model/decision.ts'
import { chooseNode } from './choose-node.ts'
import type { GatherParts } from './gather.ts'
import { NodePass } from './node-pass.ts'
import { type LaneWishes, wantWishes } from './operator-wishes.ts'
import type { Performer } from './perform.ts'
import { verdictFor } from './run-state.ts'
import { PASS_AT_LEAST_EVERY_MS, untilSettled } from './until-settled.ts'

interface LaneParts extends GatherParts, LaneWishes {
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
}

/**
 * One node of a roll at a time, each from its first pass to its last. A roll with `parallel` has several lanes, each with a
 * slot of its own; they share what is read of the world, and the verdict: once one of them stops, no lane begins a node.
 */
export class Lane {
  readonly #parts: LaneParts
  #node: string | undefined
  #pass: NodePass | undefined
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

  /** Until no node is left to begin. `work`: what is under way is finished when `interrupt` comes. */
  async run(work: AbortSignal, interrupt: AbortSignal): Promise<void> {
    for (;;) {
      this.#parts.choosing()
      const choice = chooseNode(
        this.#parts,
        this.#beside().flatMap(({ node }) => node ?? []),
      )
      if (choice?.kind !== 'node') this.#parts.kuredLock?.leave(this)
      if (choice === undefined) return
      if (choice.kind === 'later') await this.#parts.wakeup.next(PASS_AT_LEAST_EVERY_MS, interrupt)
      else if ((await this.#roll(choice.name, work, interrupt)) === 'keptOut') return
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

  /** Passes over one node until it is settled: through, restored, or to be kept out. */
  async #roll(node: string, work: AbortSignal, interrupt: AbortSignal): Promise<'through' | 'keptOut'> {
    const { performer, run, kuredLock, conditions } = this.#parts
    const under = { node, beside: () => this.#besideFacts(), isLeaving: () => this.#pass?.isLeaving === true }
    const pass = new NodePass({ ...this.#parts, under, performer })
    this.#node = node
    this.#pass = pass
    const onePass = async (): Promise<Decision> => {
      const decision = await pass.pass(work, interrupt)
      this.#wantsDns = pass.snapshot && dnsWanted(pass.snapshot, decision)
      this.#parts.wantDns()
      wantWishes(this.#parts, pass.snapshot, decision)
      conditions?.want(pass.snapshot && conditionsWanted(pass.snapshot, decision))
      kuredLock?.want(this, pass.snapshot && kuredLockWanted(pass.snapshot, decision))
      return decision
    }
    await untilSettled({ ...this.#parts, pass: onePass }, interrupt)
    const isKeptOut = verdictFor(run, node)?.keepOut === true
    this.#parts.settled(pass.snapshot)
    if (isKeptOut) return 'keptOut'
    this.#strays = this.strays
    this.#pass = undefined
    this.#node = undefined
    for (const other of this.#beside()) other.wake()
    return 'through'
  }

  #beside(): readonly Lane[] {
    const { first, after } = this.#parts.others()
    return [...first, ...after]
  }

  #besideFacts(): readonly NodeBeside[] {
    const { first, after } = this.#parts.others()
    const factsOf = (lane: Lane, goesFirst: boolean): readonly NodeBeside[] =>
      lane.#node === undefined ? [] : [{ node: lane.#node, goesFirst, isLeaving: lane.#pass?.isLeaving === true }]
    return [...first.flatMap((lane) => factsOf(lane, true)), ...after.flatMap((lane) => factsOf(lane, false))]
  }
}

/** A node that comes back is out already, and goes first. */
export function nextDnsWant(lanes: readonly Lane[]): DnsWant | undefined {
  const wants = lanes.flatMap(({ wantsDns }) => wantsDns ?? [])
  return wants.find((want) => want.for === 'back') ?? wants[0]
}

/** All lanes until each is through. Whatever ends one of them, none is left in the middle of what it writes. */
export async function inLanes(lanes: readonly Lane[], signal: AbortSignal, interrupt: AbortSignal): Promise<void> {
  const work = lanes.map((lane) => lane.run(signal, interrupt))
  try {
    await Promise.all(work)
  } finally {
    if (interrupt.aborted) await Promise.allSettled(work)
  }
}
