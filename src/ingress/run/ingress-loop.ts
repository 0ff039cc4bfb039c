import type { FollowCacheParts } from '../../ground/loop/follow-cache.ts'
import type { Leader } from '../../ground/loop/leader.ts'
import { freshNodes } from '../../ground/loop/owned/fresh-nodes.ts'
import { Latest } from '../../ground/loop/owned/latest.ts'
import { isRefusal, isSlow } from '../../ground/loop/owned/refused-writes.ts'
import { type LoopView, Reconciler } from '../../ground/loop/reconciler.ts'
import { StatusWriter } from '../../ground/loop/status-writer.ts'
import type { IngressGroup } from '../../ground/model/ingress-keys.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import type { Finding } from '../../ground/model/schema/finding.ts'
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
import type { Agents } from '../../service/ports/agents.ts'
import { BudgetWatch, NOTHING_READ } from '../../service/run/budget-watch.ts'
import { ControllerSlots } from '../../service/run/controller-slots.ts'
import { NodeWrites } from '../../service/run/node-writes.ts'
import type { ObjectLook } from '../decide/decide-object.ts'
import { type CheckedIngress, ingressKind } from '../decide/ingress-kind.ts'
import { type IngressLook, lookAt } from '../decide/look.ts'
import { ingressOwner } from '../decide/marks.ts'
import { wasCarried } from '../decide/precedence.ts'
import { rollbackOfRefused } from '../decide/rollback.ts'
import { ingressStatus, refusedStatus, withDoubts } from '../decide/status.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { AgentsOfObjects } from './agent-words.ts'
import { IngressCaches, ingressKey } from './ingress-caches.ts'
import { IngressMemory } from './ingress-memory.ts'
import { metAgain } from './met-again.ts'
import { NeighbourCaches } from './neighbour-caches.ts'
import { ObjectEvents } from './object-events.ts'
import { type Bound, decidePass, isKnown, type Seen, wantedBy } from './object-pass.ts'
import { IngressEffects } from './perform.ts'
import { stillDecided } from './still-decided.ts'

interface IngressLoopParts {
  readonly objects: Objects
  readonly cluster: Pick<Cluster, 'list' | 'nodeVersions' | 'readNode' | 'patchNode' | 'readLease' | 'writeLease'>
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
  readonly groups: readonly IngressGroup[]
  /** Absent: no agents answer for the nodes, and a grace runs from its marks. */
  readonly agents?: Agents
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const [SWEEP_MS, WORKERS] = [60_000, 4]
/** Many events of one change lead to one pass. */
const GATHER_EVENTS_MS = 20
const ASK_AGENT_AGAIN_MS = 500
const BUDGET_AGE_MS = 5_000

/** Brings the nodes of all IngressDaemonSets nearer to what these say, one write after the other. */
export class IngressLoop {
  readonly #parts: IngressLoopParts
  readonly #caches: IngressCaches
  readonly #neighbours: NeighbourCaches
  readonly #events: ObjectEvents
  readonly #budget: BudgetWatch
  readonly #reconciler: Reconciler<Seen, Bound>
  readonly #effects: IngressEffects
  readonly #latest = new Latest()
  readonly #statusOf: ReadonlyMap<IngressGroup, StatusWriter<CheckedIngress>>
  readonly #slots = new Map<string, ControllerSlots>()
  readonly #memory = new IngressMemory()
  #budgetReadAt: MonoMs | undefined
  readonly #agents: AgentsOfObjects | undefined

  constructor(parts: IngressLoopParts) {
    const { clock, objects, cluster, groups, configMaps, random, namespace, grantsNamespace, log } = parts
    this.#parts = parts
    this.#agents = parts.agents === undefined ? undefined : new AgentsOfObjects({ agents: parts.agents, clock })
    this.#caches = new IngressCaches({
      ...parts,
      onObject: (key) => {
        this.#neighbours.changed()
        this.#reconciler.add(key, GATHER_EVENTS_MS)
      },
      onOwned: (key) => this.#reconciler.add(key, GATHER_EVENTS_MS),
      onFleet: () => {
        this.#neighbours.changed()
        this.wake()
      },
    })
    this.#neighbours = new NeighbourCaches({
      ...{ objects, clock, caches: this.#caches },
      limit: () => this.#budget.facts()?.limit,
      onChange: () => this.wake(),
    })
    this.#events = new ObjectEvents({ notices: parts.notices, memory: this.#memory })
    this.#budget = new BudgetWatch({
      ...{ cluster, configMaps, clock, random },
      slots: { namespace, grantsNamespace, leaseDurationMs: SLOT_STALE_MS },
      nodeCount: () => this.#caches.nodes.objects().length,
      rights: 'docs/controller.md',
      onNews: () => this.wake(),
      say: (text) => log.warn('ingress: the node budget', { reason: text }),
    })
    this.#effects = new IngressEffects({
      ...{ objects, cluster, latest: this.#latest },
      marks: new NodeWrites({ cluster, latest: this.#latest, nodes: this.#caches.nodes }),
      slotsOf: (object) => this.#slotsOf(object),
      slotsChanged: () => {
        this.#budgetReadAt = undefined
      },
      met: (deployment) => this.#memory.deployments.meet(deployment, clock.monoMs()),
      metChecker: (daemonSet) => this.#memory.daemonSets.meet(daemonSet, clock.monoMs()),
      metGate: (gate) => this.#memory.gates.meet(gate, clock.monoMs()),
    })
    this.#statusOf = new Map(
      groups.map((group) => [group, new StatusWriter({ objects, kind: ingressKind(group), clock })]),
    )
    this.#reconciler = new Reconciler({
      ...parts,
      sweepMs: SWEEP_MS,
      workers: WORKERS,
      loop: {
        name: 'ingress',
        gather: (key, signal) => this.#gather(key, signal),
        decide: decidePass,
        decided: (key, { reasons }) => {
          if (reasons.some(({ code }) => code === 'AgentNotHeard')) this.#reconciler.add(key, ASK_AGENT_AGAIN_MS)
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
    await Promise.all([this.#caches.run(signal), this.#neighbours.run(signal), this.#reconciler.run(signal)])
  }

  /** Begins nothing any more, and resolves when what is under way has ended. */
  stop(): Promise<void> {
    return this.#reconciler.stop()
  }

  /** We lead now, or something changed that concerns all objects. */
  wake(): void {
    for (const object of this.#caches.objects()) this.#reconciler.add(ingressKey(object), GATHER_EVENTS_MS)
  }

  view(): LoopView {
    return this.#reconciler.view()
  }

  async #gather(key: string, signal: AbortSignal): Promise<Seen | undefined> {
    await Promise.all([this.#caches.synced(signal), this.#neighbours.synced(signal)])
    const object = this.#caches.object(key)
    if (object === undefined) {
      const uids = new Set(this.#caches.objects().map(({ uid }) => uid))
      this.#memory.keep(uids)
      this.#agents?.keep(uids)
      return undefined
    }
    const refused = (findings: readonly Finding[]): Seen => ({
      ...{ kind: 'refused', name: object.name, object, key, findings, ...this.#rollbackOfRefused(object) },
      doubts: findings.filter((finding) => !isError(finding)),
    })
    if (object.findings.some(isError) && !object.deleting) return refused(object.findings)
    await this.#readBudget(signal)
    await metAgain({ ...this.#parts, memory: this.#memory }, object.namespace, signal)
    const beside = object.deleting ? [] : this.#neighbours.findings(object)
    const doubts = [...object.findings, ...beside]
    if (beside.some(isError) && !wasCarried(object)) return refused(doubts)
    const nodes = this.#latest.all(this.#caches.nodes.objects())
    const latest = this.#latest.all(this.#caches.around(object).deployments)
    await this.#agents?.of(object.uid).ask(nodes, latest, signal)
    return { kind: 'seen', look: this.#lookAt(object, nodes), object, key, doubts }
  }

  #rollbackOfRefused(object: CheckedIngress): Pick<Extract<ObjectLook, { kind: 'refused' }>, 'back' | 'look'> {
    if (object.rollbackTo === undefined) return {}
    const look = this.#lookAt(object)
    const back = rollbackOfRefused(object, look, (spec) => this.#neighbours.findings({ ...object, spec }))
    return back === undefined ? {} : { back, look }
  }

  async #readBudget(signal: AbortSignal): Promise<void> {
    const now = this.#parts.clock.monoMs()
    if (this.#budgetReadAt !== undefined && now - this.#budgetReadAt < BUDGET_AGE_MS) return
    await this.#budget.read(signal)
    this.#budgetReadAt = now
  }

  #lookAt(object: CheckedIngress, known?: readonly Node[]): IngressLook {
    const now = this.#parts.clock.wallMs()
    const nodes = known ?? []
    const { namespace } = object
    const budget = this.#budget.facts() ?? NOTHING_READ
    const slotHolder = this.#slotsOf(object).holder
    const { deployments, gates, revisions, daemonSets } = this.#caches.around(object)
    const ours = this.#latest.all(deployments)
    const words = this.#agents?.of(object.uid)
    // Without its Nodes, a claim that is seen would count as gone.
    if (known !== undefined) this.#memory.noteSlots(slotHolder, { slots: budget.slots, ours, nodes, object }, now)
    return lookAt({
      object,
      ...(object.deleting ? {} : { conflicts: this.#neighbours.findings(object).filter(isError) }),
      status: object.status.fields,
      isFresh: this.#caches.isFresh(),
      now,
      nodes,
      deployments: this.#memory.deployments.withMet(namespace, ours),
      gates: this.#latest.all(this.#memory.gates.withMet(namespace, gates)),
      revisions,
      daemonSets: this.#memory.daemonSets.withMet(namespace, this.#latest.all(daemonSets)),
      podsOf: this.#caches.podsOf(object),
      budget,
      slotHolder,
      heldSlot: (node) => this.#memory.heldSlot(slotHolder, node),
      agentOf: (node) => words?.of(node),
      acknowledgedSince: (node) => this.#memory.acknowledgedSince(object, node, now),
      ...this.#memory.refused.known(object, now),
    })
  }

  #slotsOf(object: IngressDaemonSet): ControllerSlots {
    const of = ingressOwner(object)
    const { cluster, clock, namespace, lease, leader } = this.#parts
    const slots = this.#slots.get(of) ?? new ControllerSlots({ cluster, clock, namespace, lease, leader, of })
    this.#slots.set(of, slots)
    return slots
  }

  /** Before a node is taken out of service, the decision is made again on nodes and slots that were just read. */
  async #perform(bound: Bound, signal: AbortSignal): Promise<void> {
    const { refused } = this.#memory
    const { action, key, look } = bound
    const { object } = look.snapshot
    let isSent = false
    try {
      const decided = await stillDecided(bound, () => this.#freshLook(key, signal))
      isSent = decided !== undefined
      if (decided !== undefined) await this.#effects.perform(decided.action, decided.look, signal)
      refused.done(object.uid, action)
    } catch (error) {
      const { clock, random } = this.#parts
      const refusal = { error, now: clock.wallMs(), luck: random.next() }
      if (isSent || error instanceof WorldError) refused.refuse(object, action, refusal)
      throw error
    }
  }

  async #freshLook(key: string, signal: AbortSignal): Promise<IngressLook | undefined> {
    const { cluster } = this.#parts
    const reading = freshNodes({ cluster, cache: this.#caches.nodes }, signal)
    const [nodes] = await Promise.all([reading, this.#budget.read(signal)])
    this.#budgetReadAt = this.#parts.clock.monoMs()
    const object = this.#caches.object(key)
    return object === undefined ? undefined : this.#lookAt(object, nodes)
  }

  async #tell(seen: Seen, decision: LoopDecision<Bound>, signal: AbortSignal): Promise<void> {
    const { object } = seen
    if (isKnown(seen)) this.#memory.refused.keep(object.uid, wantedBy(decision))
    const wanted =
      seen.kind === 'refused'
        ? refusedStatus(object.status.fields, decision.reasons)
        : ingressStatus(seen.look.snapshot, decision.reasons)
    if (wanted !== undefined && !isLeaving(object)) {
      const status = withDoubts(wanted, seen.doubts, object.status.conditions)
      await this.#statusOf.get(object.group)?.write(object, status, signal)
    }
    await this.#events.tell(object, { reasons: decision.reasons, doubts: seen.doubts }, signal)
  }
}

const isError = ({ severity }: Finding): boolean => severity === 'error'

/** Its status cannot be written any more once it has no finalizer. */
const isLeaving = ({ deleting, finalizers }: IngressDaemonSet): boolean => deleting && finalizers.length === 0
