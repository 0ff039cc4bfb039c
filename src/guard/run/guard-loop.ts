import { EventsOnce } from '../../ground/loop/owned/events-once.ts'
import { Latest } from '../../ground/loop/owned/latest.ts'
import { type Bound, OwnedLoop, type OwnedSystem } from '../../ground/loop/owned/owned-loop.ts'
import type { Subject } from '../../ground/loop/owned/refused-writes.ts'
import type { LoopStatus } from '../../ground/loop/reconciler.ts'
import { StatusWriter } from '../../ground/loop/status-writer.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Node } from '../../ground/model/node.ts'
import { listedNodes } from '../../ground/model/owned/listed-nodes.ts'
import { NOTHING_READ } from '../../service/run/budget-watch.ts'
import { BUDGET_AGE_MS, ControllerBudget } from '../../service/run/controller-budget.ts'
import type { ControllerParts } from '../../service/run/controller-parts.ts'
import { NodeWrites } from '../../service/run/node-writes.ts'
import { type GuardAction, guardActionKey, objectOfGuardAction } from '../decide/action.ts'
import { decideGuards } from '../decide/decide.ts'
import { guardReasons } from '../decide/event-reasons.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import { NODE_GUARDS } from '../decide/guard-kind.ts'
import { guardOwner } from '../decide/pass.ts'
import { guardStatus, refusedGuardStatus } from '../decide/status.ts'
import type { HoldSource } from '../holds/hold-source.ts'
import type { ObjectRules } from '../holds/object-rules.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import { type Fresh, GroupReader, type GroupSeen, LEFT } from './group-reader.ts'
import { groupsLeft } from './groups-left.ts'
import { GuardCaches } from './guard-caches.ts'
import { grantReasons, guardSayings, refusalsOf, undoneOf } from './guard-events.ts'
import { GuardMemory } from './guard-memory.ts'
import { HoldReader } from './hold-reader.ts'
import { GuardEffects } from './perform.ts'

interface GuardLoopParts extends ControllerParts {
  readonly rules: ObjectRules
  readonly source: HoldSource
}

const NO_LIFE = new AbortController().signal

/** Keeps the guards of all NodeGuards, and lets one node of each group go at a time. A key is a group. */
export class GuardLoop implements OwnedSystem<GroupSeen, GuardAction> {
  readonly name = 'guard'
  readonly keyOf = guardActionKey
  readonly #parts: GuardLoopParts
  readonly #caches: GuardCaches
  readonly #holds: HoldReader
  readonly #reader: GroupReader
  readonly #events: EventsOnce
  readonly #budget: ControllerBudget
  readonly #loop: OwnedLoop<GroupSeen, GuardAction>
  readonly #effects: GuardEffects
  readonly #latest = new Latest()
  readonly #memory: GuardMemory
  readonly #status: StatusWriter<CheckedGuard>
  #life: AbortSignal = NO_LIFE

  constructor(parts: GuardLoopParts) {
    const { clock, objects, cluster, rules, source } = parts
    this.#parts = parts
    this.#memory = new GuardMemory(clock)
    this.#caches = new GuardCaches({
      ...parts,
      onGroup: (group) => this.#loop.changed(group),
      onStray: () => this.#loop.changed(LEFT),
    })
    this.#holds = new HoldReader({
      ...{ objects, cluster, rules, source, clock },
      attachmentsOf: (node) => this.#caches.attachmentsOf(node),
      onNews: ({ spec }) => this.#loop.changed(spec.group),
    })
    const { nodes } = this.#caches
    this.#budget = new ControllerBudget({ ...parts, name: this.name, nodes, onNews: () => this.wake() })
    this.#reader = new GroupReader({
      ...{ rules, source, clock, caches: this.#caches, holds: this.#holds, latest: this.#latest, memory: this.#memory },
      budget: () => this.#budget.facts() ?? NOTHING_READ,
      holderOf: (group) => this.#budget.holderOf(guardOwner(group)),
      life: () => this.#life,
    })
    this.#events = new EventsOnce(parts.notices)
    this.#effects = new GuardEffects({
      ...{ objects, clock, latest: this.#latest },
      nodeWrites: new NodeWrites({ cluster, latest: this.#latest, budget: this.#budget, nodes }),
      unshown: this.#memory,
    })
    this.#status = new StatusWriter({ objects, kind: NODE_GUARDS, clock })
    this.#loop = new OwnedLoop({ ...parts, system: this, refused: this.#memory.refused })
  }

  /** Runs the caches and the loop until aborted, then rejects with the signal's reason. After `stop`, only the caches go on. */
  async run(signal: AbortSignal): Promise<void> {
    this.#life = signal
    await Promise.all([this.#caches.run(signal), this.#loop.run(signal)])
  }

  /** Starts no new pass, and resolves when the running passes have ended. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** We lead now, or something changed that concerns all guards. */
  wake(): void {
    const groups = this.#caches.guards.objects().map(({ spec }) => spec.group)
    for (const group of new Set([...groups, LEFT])) this.#loop.changed(group)
  }

  status(): LoopStatus {
    return this.#loop.status()
  }

  async gather(group: string, signal: AbortSignal): Promise<GroupSeen | undefined> {
    await this.#caches.synced(signal)
    await this.#budget.readIfOld(signal)
    await this.#memory.findUnshown(this.#parts.objects, signal)
    if (group === LEFT) {
      for (const left of this.#groupsLeft()) this.#loop.add(left)
      if (this.#caches.strays().length === 0) return undefined
    } else if (this.#caches.ofGroup(group).length === 0 && !this.#groupsLeft().has(group)) return undefined
    return this.#reader.of(group, this.#latest.all(this.#caches.nodes.objects()))
  }

  /** Groups that still have a slot or a claim, also those without a guard. */
  #groupsLeft(): ReadonlySet<string> {
    const nodes = this.#latest.all(this.#caches.nodes.objects())
    const holder = this.#budget.holderOf(guardOwner(LEFT))
    return groupsLeft({ nodes, slots: this.#budget.facts()?.slots ?? [], holder })
  }

  decide({ snapshot }: GroupSeen, isHeld?: (action: GuardAction) => boolean): LoopDecision<GuardAction> {
    return decideGuards(snapshot, isHeld)
  }

  /** While the budget cannot be read, there may be a slot to release that no pass knows. */
  againInMs(): number | undefined {
    return this.#budget.facts()?.fault === undefined ? undefined : BUDGET_AGE_MS
  }

  objectOf(action: GuardAction, { snapshot }: GroupSeen): string | undefined {
    return objectOfGuardAction(action, snapshot.nodes)
  }

  subjectOf({ snapshot: { group } }: GroupSeen): Subject {
    return { uid: group, generation: 0 }
  }

  isKnown({ snapshot }: GroupSeen): boolean {
    return snapshot.isFresh
  }

  takesOut(action: GuardAction): boolean {
    return 'node' in action && action.node !== undefined && GRANTS.has(action.kind)
  }

  /** The holds of the node are read for the last step, which lets its guard go. */
  async gatherFresh(
    { action, seen, key: group }: Bound<GroupSeen, GuardAction>,
    signal: AbortSignal,
  ): Promise<GroupSeen | undefined> {
    if (!('node' in action) || action.node === undefined) return undefined
    const isLast = LETTING_GO.has(action.kind)
    const nodes = await (isLast ? this.#budget.readWithNode(action.node, signal) : this.#budget.readWithNodes(signal))
    const node = nodes.find(({ name }) => name === action.node)
    if (node === undefined) return undefined
    if (!isLast) return this.#reader.of(group, nodes)
    const fresh = await this.#freshGuards(seen, node, signal)
    return fresh === undefined ? undefined : this.#reader.of(group, nodes, { node: node.name, ...fresh })
  }

  /**
   * The guards of the group as they are now, since a person may hold the node by them, and fresh verdicts of those that guard the node, by
   * the UID of the guard. Undefined: the guards changed during the reading, or since the watch showed them.
   */
  async #freshGuards(
    { snapshot }: GroupSeen,
    node: Node,
    signal: AbortSignal,
  ): Promise<Omit<Fresh, 'node'> | undefined> {
    const known = this.#caches.ofGroup(snapshot.group)
    const guarding = new Set(
      snapshot.guards.filter(({ nodes }) => nodes.some(({ name, isWanted }) => isWanted && name === node.name)),
    )
    const isGuarding = ({ uid }: NodeGuard): boolean => [...guarding].some(({ guard }) => guard.uid === uid)
    const read = known.map(async (guard) => {
      const { namespace, name, uid, generation, spec } = guard
      const found = await this.#parts.objects.get({ kind: NODE_GUARDS, namespace, name }, signal)
      if (found?.uid !== uid || found.generation !== generation || found.deleting !== guard.deleting) return undefined
      const verdicts = isGuarding(guard) ? await this.#holds.fresh(guard, node, signal) : []
      // What is derived from the spec is remembered by it.
      return { guard: { ...found, spec, findings: guard.findings }, verdicts }
    })
    const fresh = (await Promise.all(read)).flatMap((one) => one ?? [])
    const now = this.#caches.ofGroup(snapshot.group)
    const isSame = known.length === now.length && known.every(({ spec }, at) => spec === now[at]?.spec)
    if (!isSame || fresh.length < known.length) return undefined
    return {
      guards: fresh.map(({ guard }) => guard),
      verdicts: new Map(fresh.map(({ guard, verdicts }) => [guard.uid, verdicts])),
    }
  }

  async perform(action: GuardAction, { snapshot }: GroupSeen, signal: AbortSignal): Promise<void> {
    await this.#effects.perform(action, snapshot, signal)
    if (action.kind === 'closeGate' && action.isExpired === true)
      this.#memory.waitAgain(snapshot.group, action.node, this.#parts.clock.wallMs())
  }

  async tell(
    { snapshot, guards, refused }: GroupSeen,
    decision: LoopDecision<GuardAction>,
    signal: AbortSignal,
  ): Promise<void> {
    const actions = decision.kind === 'act' ? decision.actions : []
    const reportOf = (guard: CheckedGuard) => {
      const view = snapshot.guards.find((one) => one.guard === guard)
      if (view === undefined) return undefined
      const refusals = refusalsOf(view, decision.reasons)
      const before = { nodes: listedNodes(guard.status.fields), fields: guard.status.fields }
      return { view, refusals, wanted: guardStatus(snapshot, view, { before, actions, refusals }) }
    }
    for (const [guard, reasons] of refused) {
      const status = refusedGuardStatus({ known: reportOf(guard)?.wanted, fields: guard.status.fields }, reasons)
      await this.#status.write(guard, status, signal)
      await this.#events.tellAll({ ...guard, kind: NODE_GUARDS }, guardSayings(reasons), signal)
    }
    for (const guard of guards) {
      const report = reportOf(guard)
      if (report === undefined) continue
      const { view, refusals, wanted } = report
      if (wanted !== undefined) await this.#status.write(guard, wanted, signal)
      const undone = undoneOf(view, decision.reasons)
      const reasons = [...grantReasons(guard, actions), ...refusals, ...undone, ...guardReasons(snapshot, view)]
      await this.#events.tellAll({ ...guard, kind: NODE_GUARDS }, guardSayings(reasons), signal)
    }
  }
}

/** Actions that grant a node, or come before its grant. */
const GRANTS: ReadonlySet<GuardAction['kind']> = new Set(['takeSlot', 'claim', 'openGate', 'letGo', 'unlockPod'])
const LETTING_GO: ReadonlySet<GuardAction['kind']> = new Set(['openGate', 'letGo', 'unlockPod'])
