import type { FleetFacts, NodeFact, SlotFact, Violation } from './fleet-facts.ts'
import { RunLimit, StandingLimit } from './standing-limit.ts'

interface Terms {
  readonly nodes: number
  /** What runs ask for that ask for less than the budget allows, by their names. */
  readonly maxOutOfRun: ReadonlyMap<string, number>
  /** How many the brake lets be out when it grants one more. */
  readonly brakeMax: number
  /** How long what others do may take to be heard of, and a write that was decided before to arrive. */
  readonly reactionMs: number
  /** How long a slot that nobody renews is valid. For as long its holder tries to give it back. */
  readonly slotMs: number
  /** When the API server was ill. */
  readonly ill: readonly { readonly fromMs: number; readonly toMs: number }[]
}

/** A slot's holder is `RUN/PROCESS` or `RUN+RESTORER/PROCESS` for a roll, and `controller/LEASE` for a controller. */
const CONTROLLER = 'controller/'
/** Owners whose claims are planned; those of persons are not. */
const PLANNED_OWNER = /^(roll|ingress|guard)\//
/** A violation that lasts is told once. */
const TOLD_AT_MOST = 20

/**
 * What must hold of a fleet at each moment, by its facts alone:
 *
 * - budget-exceeded: a planned node leaves, and more planned ones are out than `maxOut` allows
 * - no-room: one leaves while, with those that are out for whatever reason, more are out than may be
 * - no-slot: a node is out by plan, and its owner holds no slot for it; a run that is refused the removal of its record gives the slot of a
 *   node back that serves again
 * - two-slots: more than one slot is held for a node that is out by plan
 * - two-owners: two owners have one node out by plan
 * - slot-above: a slot is taken that the budget does not have
 * - granted-above: the brake grants a cordon while as many are out as it may let be
 *
 * A value that is gone from the budget binds a run only if the run has read it. What was lowered a moment ago calls no node
 * back: the largest limit of the reaction time counts. What persons, machines and the brake have out counts once it lasts for
 * the reaction time. What is out by plan counts at once, except for a run that asks for less than the budget: slots above its
 * own are taken while its first write is on its way.
 */
export class FleetJudge {
  readonly violations: Violation[] = []
  /** The most that were out by plan at once, and the most that were allowed then. */
  most = 0
  readonly #terms: Terms
  /** For controllers. */
  readonly #limit: StandingLimit
  readonly #limitOfRun = new Map<string, RunLimit>()
  #maxOut: string | undefined
  readonly #outSince = new Map<string, number>()
  readonly #reported = new Set<string>()
  #planned: ReadonlySet<string> = new Set()
  /** Nodes whose run had a slot for them since it recorded them. */
  readonly #hadSlot = new Set<string>()
  #slots: ReadonlyMap<number, SlotFact> = new Map()
  #granted: ReadonlySet<string> = new Set()

  constructor(terms: Terms) {
    this.#terms = terms
    this.#limit = new StandingLimit(terms.nodes)
  }

  /** A run was answered what the budget says; `text` is undefined where there is no budget. */
  read(run: string, text: string | undefined, atMs: number): void {
    this.#limitOf(run).read(text, atMs)
  }

  see(facts: FleetFacts): void {
    const { atMs, nodes, slots, granted } = facts
    this.#maxOut = facts.maxOut
    for (const limit of [this.#limit, ...this.#limitOfRun.values()]) limit.says(facts.maxOut, atMs)
    const isGranted = new Set(granted)
    const planned = nodes.filter(isPlanned)
    for (const node of nodes) {
      if (!isPlanned(node)) this.#hadSlot.delete(node.name)
      if (!isOut(node, isGranted)) this.#outSince.delete(node.name)
      else if (!this.#outSince.has(node.name)) this.#outSince.set(node.name, atMs)
    }
    this.most = Math.max(this.most, planned.length)
    for (const node of planned) {
      this.#checkSlot(facts, node)
      if (!this.#planned.has(node.name)) this.#checkLeaving(facts, node, planned.length)
    }
    this.#checkSlots(facts)
    this.#checkGrants(facts)
    this.#planned = new Set(planned.map(({ name }) => name))
    this.#slots = new Map(slots.map((slot) => [slot.index, slot]))
    this.#granted = isGranted
  }

  /** Once everything has healed, persons have withdrawn, and all rolls are over. */
  end({ atMs, nodes, slots }: FleetFacts): void {
    for (const { name, isReady, isCordoned, isDetached, recordedBy, claimedBy } of nodes) {
      const left = [
        ...(isReady ? [] : ['is not Ready']),
        ...(isCordoned ? ['is cordoned'] : []),
        ...(isDetached ? ['is detached'] : []),
        ...(recordedBy === undefined ? [] : [`bears the record of ${recordedBy}`]),
        ...claimedBy.map((owner) => `is claimed by ${owner}`),
      ]
      if (left.length > 0) this.#tell('all-back', atMs, `${name} ${left.join(', ')}`)
    }
    for (const { index, holder, node } of slots.filter((slot) => !this.#isLeftStale(slot, atMs)))
      this.#tell('all-back', atMs, `slot ${index} is held by ${holder} for ${node}`)
  }

  /** The slot of a run that could not give it back while the API server was ill: whoever needs one takes it over. */
  #isLeftStale({ holder, writtenAtMs }: SlotFact, atMs: number): boolean {
    const untilMs = writtenAtMs + this.#terms.slotMs
    const wasIll = this.#terms.ill.some(({ fromMs, toMs }) => fromMs <= untilMs && toMs >= writtenAtMs)
    return !holder.startsWith(CONTROLLER) && wasIll && untilMs < atMs
  }

  #checkLeaving({ atMs, nodes }: FleetFacts, node: NodeFact, planned: number): void {
    const sinceMs = atMs - this.#terms.reactionMs
    const max = this.#most(node.recordedBy, sinceMs)
    if (planned > max)
      this.#tell('budget-exceeded', atMs, `${node.name} leaves, and ${planned} are out by plan, of ${max}`)
    const others = this.#outBefore(nodes, node.name, sinceMs)
    // Every process that counts after a slot was taken sees that slot, so that it has to hear nothing of planned nodes.
    const known = new Set([...others, ...nodes.filter(isPlanned).map(({ name }) => name)])
    known.delete(node.name)
    if (known.size + 1 > max)
      this.#tell('no-room', atMs, `${node.name} leaves beside ${[...known].join(', ')}, and ${max} may be out`)
    const asked = this.#terms.maxOutOfRun.get(node.recordedBy ?? '')
    if (asked !== undefined && others.length + 1 > asked)
      this.#tell('no-room', atMs, `${node.name} leaves beside ${others.join(', ')}, and its run asks for ${asked}`)
  }

  #most(planner: string | undefined, sinceMs: number): number {
    const limit = planner === undefined ? undefined : this.#limitOfRun.get(planner)
    return (limit ?? this.#limit).most(sinceMs)
  }

  #limitOf(run: string): RunLimit {
    const known = this.#limitOfRun.get(run) ?? new RunLimit(this.#terms.nodes, this.#maxOut)
    this.#limitOfRun.set(run, known)
    return known
  }

  #outBefore(nodes: readonly NodeFact[], name: string, sinceMs: number): readonly string[] {
    return nodes.flatMap((other) => {
      const since = this.#outSince.get(other.name)
      return other.name !== name && since !== undefined && since <= sinceMs ? [other.name] : []
    })
  }

  #checkSlot({ atMs, slots }: FleetFacts, node: NodeFact): void {
    const owners = plannersOf(node)
    if (owners.length > 1) this.#tell('two-owners', atMs, `${node.name} is out for ${owners.join(' and ')}`)
    const held = slots.filter((slot) => slot.node === node.name)
    if (held.length > 1)
      this.#tell('two-slots', atMs, `${node.name} has slots ${held.map(({ index }) => index).join(', ')}`)
    if (held.some(({ holder }) => owners.includes(plannerOf(holder)))) this.#hadSlot.add(node.name)
    else if (!serves(node) || !this.#hadSlot.has(node.name))
      this.#tell('no-slot', atMs, `${node.name} is out for ${owners.join(' and ')}, which hold no slot for it`)
  }

  /** A planner that is through with its node has the same slot again after its death, also where there are fewer by then. */
  #checkSlots({ atMs, slots }: FleetFacts): void {
    for (const { index, holder, node } of slots) {
      const max = this.#most(plannerOf(holder), atMs - this.#terms.reactionMs)
      const before = this.#slots.get(index)
      const isSame = before !== undefined && plannerOf(before.holder) === plannerOf(holder)
      if (!isSame && index >= max && !this.#planned.has(node))
        this.#tell('slot-above', atMs, `${holder} takes slot ${index} of ${max} for ${node}`)
    }
  }

  #checkGrants({ atMs, nodes, granted }: FleetFacts): void {
    const cordoned = new Set(nodes.flatMap(({ name, isCordoned }) => (isCordoned ? [name] : [])))
    const { reactionMs, brakeMax } = this.#terms
    for (const name of granted) {
      if (this.#granted.has(name) || !cordoned.has(name)) continue
      const others = this.#outBefore(nodes, name, atMs - reactionMs)
      const isOutAlready = (this.#outSince.get(name) ?? atMs) <= atMs - reactionMs
      if (others.length + 1 > brakeMax && !isOutAlready)
        this.#tell('granted-above', atMs, `${name} is granted beside ${others.join(', ')}, and ${brakeMax} may be out`)
    }
  }

  #tell(checker: string, atMs: number, text: string): void {
    const key = `${checker} ${text}`
    if (this.#reported.has(key) || this.violations.length >= TOLD_AT_MOST) return
    this.#reported.add(key)
    this.violations.push({ checker, atMs, text })
  }
}

const isPlanned = (node: NodeFact): boolean => node.isDetached || plannersOf(node).length > 0

/** At most it bears a record; persons may have cordoned or claimed it. */
const serves = ({ isReady, isDetached, claimedBy }: NodeFact): boolean =>
  isReady && !isDetached && !claimedBy.some((owner) => PLANNED_OWNER.test(owner))

const isOut = (node: NodeFact, granted: ReadonlySet<string>): boolean =>
  !node.isReady || node.claimedBy.length > 0 || (node.isCordoned && granted.has(node.name)) || isPlanned(node)

/** The planners that have it out: runs by their names, a controller as one. */
function plannersOf({ recordedBy, claimedBy }: NodeFact): readonly string[] {
  const owners = claimedBy
    .filter((owner) => PLANNED_OWNER.test(owner))
    .map((owner) => (owner.startsWith('roll/') ? owner.slice('roll/'.length) : CONTROLLER))
  return [...new Set([...(recordedBy === undefined ? [] : [recordedBy]), ...owners])]
}

function plannerOf(holder: string): string {
  if (holder.startsWith(CONTROLLER)) return CONTROLLER
  return holder.slice(0, Math.max(0, holder.lastIndexOf('/'))).split('+', 1)[0] ?? ''
}
