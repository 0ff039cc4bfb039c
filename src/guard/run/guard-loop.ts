import type { FollowCacheParts } from '../../ground/loop/follow-cache.ts'
import type { Leader } from '../../ground/loop/leader.ts'
import { freshNodes } from '../../ground/loop/owned/fresh-nodes.ts'
import { Latest } from '../../ground/loop/owned/latest.ts'
import { isRefusal, isSlow } from '../../ground/loop/owned/refused-writes.ts'
import { type LoopView, Reconciler } from '../../ground/loop/reconciler.ts'
import { StatusWriter } from '../../ground/loop/status-writer.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { toldNodes } from '../../ground/model/owned/told-nodes.ts'
import { SLOT_STALE_MS } from '../../ground/model/slot.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { Random } from '../../ground/ports/random.ts'
import { BudgetWatch, NOTHING_READ } from '../../service/run/budget-watch.ts'
import { ControllerSlots } from '../../service/run/controller-slots.ts'
import { NodeWrites } from '../../service/run/node-writes.ts'
import { type GuardAction, guardActionKey } from '../decide/action.ts'
import { decideGuards } from '../decide/decide.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import { NODE_GUARDS } from '../decide/guard-kind.ts'
import { guardOwner } from '../decide/pass.ts'
import type { HoldVerdict } from '../decide/snapshot.ts'
import { guardStatus, refusedGuardStatus } from '../decide/status.ts'
import { guardReasons } from '../decide/told-reasons.ts'
import type { HoldSource } from '../holds/hold-source.ts'
import type { ObjectRules } from '../holds/object-rules.ts'
import { type Bound, boundTo } from './bound.ts'
import { GroupLooks, type GroupSeen, LEFT } from './group-looks.ts'
import { groupsLeft } from './groups-left.ts'
import { GuardCaches } from './guard-caches.ts'
import { GuardEvents, grantReasons } from './guard-events.ts'
import { GuardMemory } from './guard-memory.ts'
import { HoldReader } from './hold-reader.ts'
import { GuardEffects } from './perform.ts'

interface GuardLoopParts {
  readonly objects: Objects
  readonly cluster: Pick<
    Cluster,
    'list' | 'follow' | 'nodeVersions' | 'readNode' | 'patchNode' | 'readLease' | 'writeLease'
  >
  /** Lists and watches all Nodes; settles only when aborted, with the signal's reason. */
  readonly followNodes: FollowCacheParts<Node>['follow']
  readonly configMaps: Pick<ConfigMaps, 'read'>
  readonly notices: ObjectNotices
  readonly leader: Pick<Leader, 'mayActForMs'>
  /** By which the controller leads, and its slots live. */
  readonly lease: ObjectRef
  /** Of the slots and of the budget object. */
  readonly namespace: string
  readonly grantsNamespace: string
  readonly rules: ObjectRules
  readonly source: HoldSource
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const SWEEP_MS = 60_000
/** Of as many groups at a time: the target of a hold may take seconds. */
const WORKERS = 4
/** Many events of one change lead to one pass. */
const GATHER_EVENTS_MS = 20
const BUDGET_AGE_MS = 5_000
const NO_LIFE = new AbortController().signal

/** Keeps the guards of all NodeGuards, and lets one node of each group go at a time. A key is a group. */
export class GuardLoop {
  readonly #parts: GuardLoopParts
  readonly #caches: GuardCaches
  readonly #holds: HoldReader
  readonly #looks: GroupLooks
  readonly #events: GuardEvents
  readonly #budget: BudgetWatch
  readonly #reconciler: Reconciler<GroupSeen, Bound>
  readonly #effects: GuardEffects
  readonly #latest = new Latest()
  readonly #memory = new GuardMemory()
  readonly #status: StatusWriter<CheckedGuard>
  readonly #slots = new Map<string, ControllerSlots>()
  #budgetReadAt: MonoMs | undefined
  #life: AbortSignal = NO_LIFE

  constructor(parts: GuardLoopParts) {
    const { clock, objects, cluster, configMaps, random, namespace, grantsNamespace, log, rules, source } = parts
    this.#parts = parts
    this.#caches = new GuardCaches({
      ...parts,
      onGroup: (group) => this.#reconciler.add(group, GATHER_EVENTS_MS),
      onStray: () => this.#reconciler.add(LEFT, GATHER_EVENTS_MS),
    })
    this.#holds = new HoldReader({
      ...{ objects, cluster, rules, source, clock },
      attachmentsOf: (node) => this.#caches.attachmentsOf(node),
      onNews: ({ spec }) => this.#reconciler.add(spec.group, GATHER_EVENTS_MS),
    })
    this.#looks = new GroupLooks({
      ...{ rules, source, clock, caches: this.#caches, holds: this.#holds, latest: this.#latest, memory: this.#memory },
      budget: () => this.#budget.facts() ?? NOTHING_READ,
      holderOf: (group) => this.#slotsOf(group).holder,
      life: () => this.#life,
    })
    this.#events = new GuardEvents({ notices: parts.notices, memory: this.#memory })
    this.#budget = new BudgetWatch({
      ...{ cluster, configMaps, clock, random },
      slots: { namespace, grantsNamespace, leaseDurationMs: SLOT_STALE_MS },
      nodeCount: () => this.#caches.nodes.objects().length,
      rights: 'docs/controller.md',
      onNews: () => this.wake(),
      say: (text) => log.warn('guard: the node budget', { reason: text }),
    })
    this.#effects = new GuardEffects({
      ...{ objects, clock, latest: this.#latest },
      marks: new NodeWrites({ cluster, latest: this.#latest, nodes: this.#caches.nodes }),
      slotsChanged: () => {
        this.#budgetReadAt = undefined
      },
      made: (kind, object) => this.#memory.made(kind, object, clock.monoMs()),
    })
    this.#status = new StatusWriter({ objects, kind: NODE_GUARDS, clock })
    this.#reconciler = new Reconciler({
      ...parts,
      sweepMs: SWEEP_MS,
      workers: WORKERS,
      loop: {
        name: 'guard',
        gather: (key, signal) => this.#gather(key, signal),
        decide: (seen) => boundTo(seen.snapshot, decideGuards(seen.snapshot)),
        decided: (key) => {
          // A slot that was not seen may be one to give back.
          if (this.#budget.facts()?.fault !== undefined) this.#reconciler.add(key, BUDGET_AGE_MS)
        },
        tell: ({ snapshot, decision }, signal) => this.#tell(snapshot, decision, signal),
        perform: (action, signal) => this.#perform(action, signal),
        isRefusal,
        isSlow,
      },
    })
  }

  /** Follows and works until aborted, then rejects with the signal's reason; where it was stopped, it only follows. */
  async run(signal: AbortSignal): Promise<void> {
    this.#life = signal
    await Promise.all([this.#caches.run(signal), this.#reconciler.run(signal)])
  }

  /** Begins nothing any more, and resolves when what is under way has ended. */
  stop(): Promise<void> {
    return this.#reconciler.stop()
  }

  /** We lead now, or something changed that concerns all guards. */
  wake(): void {
    const groups = this.#caches.guards.objects().map(({ spec }) => spec.group)
    for (const group of new Set([...groups, LEFT])) this.#reconciler.add(group, GATHER_EVENTS_MS)
  }

  view(): LoopView {
    return this.#reconciler.view()
  }

  async #gather(group: string, signal: AbortSignal): Promise<GroupSeen | undefined> {
    await this.#caches.synced(signal)
    await this.#readBudget(signal)
    if (group === LEFT) {
      for (const left of this.#groupsLeft()) this.#reconciler.add(left)
      if (this.#caches.strays().length === 0) return undefined
    } else if (this.#caches.ofGroup(group).length === 0 && !this.#groupsLeft().has(group)) return undefined
    return this.#looks.of(group, this.#latest.all(this.#caches.nodes.objects()))
  }

  /** Also where none of their guards is left. */
  #groupsLeft(): ReadonlySet<string> {
    const nodes = this.#latest.all(this.#caches.nodes.objects())
    return groupsLeft({ nodes, slots: this.#budget.facts()?.slots ?? [], holder: this.#slotsOf(LEFT).holder })
  }

  #slotsOf(group: string): ControllerSlots {
    const { cluster, clock, namespace, lease, leader } = this.#parts
    const slots =
      this.#slots.get(group) ?? new ControllerSlots({ cluster, clock, namespace, lease, leader, of: guardOwner(group) })
    this.#slots.set(group, slots)
    return slots
  }

  async #readBudget(signal: AbortSignal): Promise<void> {
    const now = this.#parts.clock.monoMs()
    if (this.#budgetReadAt !== undefined && now - this.#budgetReadAt < BUDGET_AGE_MS) return
    await this.#budget.read(signal)
    this.#budgetReadAt = now
  }

  async #perform(bound: Bound, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts
    const { action, snapshot } = bound
    const { group } = snapshot
    const { refused } = this.#memory
    let isSent = false
    try {
      const decided = await this.#stillDecided(bound, signal)
      isSent = decided !== undefined
      if (decided !== undefined) {
        const by = { nodes: decided.snapshot.nodes, slots: this.#slotsOf(group) }
        await this.#effects.perform(decided.action, by, signal)
      }
      if (action.kind === 'closeGate' && action.isExpired === true)
        this.#memory.askAgain(group, action.node, clock.wallMs())
      refused.done(group, action)
    } catch (error) {
      const refusal = { error, now: clock.wallMs(), luck: random.next() }
      if (isSent || error instanceof WorldError) refused.refuse({ uid: group, generation: 0 }, action, refusal)
      throw error
    }
  }

  /**
   * Before a node is granted, all nodes and all slots are read anew for each step, and the holds of this node for the last one, which lets its
   * guard go. Then it is decided once more. Undefined: it is not to be done any more.
   */
  async #stillDecided(bound: Bound, signal: AbortSignal): Promise<Bound | undefined> {
    const {
      action,
      snapshot: { group },
    } = bound
    if (!('node' in action) || action.node === undefined || !GRANTS.has(action.kind)) return bound
    const { cluster } = this.#parts
    const [nodes] = await Promise.all([
      freshNodes({ cluster, cache: this.#caches.nodes }, signal),
      this.#budget.read(signal),
    ])
    this.#budgetReadAt = this.#parts.clock.monoMs()
    const node = nodes.find(({ name }) => name === action.node)
    if (node === undefined) return undefined
    const verdicts = LETTING_GO.has(action.kind) ? await this.#freshHolds(group, node, signal) : NOT_READ
    if (verdicts === undefined) return undefined
    const { snapshot } = this.#looks.of(group, nodes, { node: action.node, verdicts })
    const decision = decideGuards(snapshot)
    const anew =
      decision.kind === 'act'
        ? decision.actions.find((one) => guardActionKey(one) === guardActionKey(action))
        : undefined
    return anew === undefined ? undefined : { action: anew, snapshot }
  }

  /** By the UID of each guard of the group. Undefined: the guards changed meanwhile, and other holds count than those that were read. */
  async #freshHolds(
    group: string,
    node: Node,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly HoldVerdict[]> | undefined> {
    const guards = this.#caches.ofGroup(group)
    const read = guards.map(async (guard) => [guard.uid, await this.#holds.fresh(guard, node, signal)] as const)
    const verdicts = new Map(await Promise.all(read))
    const now = this.#caches.ofGroup(group)
    const isSame = guards.length === now.length && guards.every(({ spec }, at) => spec === now[at]?.spec)
    return isSame ? verdicts : undefined
  }

  async #tell(
    { snapshot, guards, refused }: GroupSeen,
    decision: LoopDecision<Bound>,
    signal: AbortSignal,
  ): Promise<void> {
    const actions = decision.kind === 'act' ? decision.actions.map(({ action }) => action) : []
    const later = decision.kind === 'settled' ? [] : (decision.later ?? [])
    if (snapshot.isFresh) this.#memory.refused.keep(snapshot.group, [...actions, ...later.map(({ action }) => action)])
    for (const [guard, reasons] of refused) {
      await this.#status.write(guard, refusedGuardStatus(guard.status.fields, reasons), signal)
      await this.#events.tell(guard, reasons, signal)
    }
    for (const guard of guards) {
      const view = snapshot.guards.find((one) => one.guard === guard)
      if (view === undefined) continue
      const refusals = decision.reasons.filter(
        ({ code, object }) => code === 'WriteRefused' && isOf(view.nodes, guard, object),
      )
      const told = { nodes: toldNodes(guard.status.fields), fields: guard.status.fields }
      const wanted = guardStatus(snapshot, view, { told, actions, refusals })
      if (wanted !== undefined) await this.#status.write(guard, wanted, signal)
      const reasons = [...grantReasons(guard, actions), ...refusals, ...guardReasons(snapshot, view)]
      await this.#events.tell(guard, reasons, signal)
    }
  }
}

/** With these a node is granted, or about to be. */
const GRANTS: ReadonlySet<GuardAction['kind']> = new Set(['takeSlot', 'claim', 'openGate', 'letGo', 'unlockPod'])
const LETTING_GO: ReadonlySet<GuardAction['kind']> = new Set(['openGate', 'letGo', 'unlockPod'])
const NOT_READ: ReadonlyMap<string, readonly HoldVerdict[]> = new Map()

const isOf = (nodes: readonly { readonly name: string }[], { name }: CheckedGuard, object = ''): boolean =>
  object === name || nodes.some((n) => n.name === object)
