import { EventsOnce } from '../../ground/loop/owned/events-once.ts'
import { Latest } from '../../ground/loop/owned/latest.ts'
import { type Bound, OwnedLoop, type OwnedSystem } from '../../ground/loop/owned/owned-loop.ts'
import type { Subject } from '../../ground/loop/owned/refused-writes.ts'
import type { LoopStatus } from '../../ground/loop/reconciler.ts'
import { StatusWriter } from '../../ground/loop/status-writer.ts'
import type { IngressGroup } from '../../ground/model/ingress-keys.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Node } from '../../ground/model/node.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { present } from '../../ground/model/present.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import { followersAwaited } from '../../service/decide/followers-back.ts'
import type { Agents } from '../../service/ports/agents.ts'
import { NOTHING_READ } from '../../service/run/budget-watch.ts'
import { BUDGET_AGE_MS, ControllerBudget } from '../../service/run/controller-budget.ts'
import type { ControllerParts } from '../../service/run/controller-parts.ts'
import { NodeWrites } from '../../service/run/node-writes.ts'
import type { ObjectReading } from '../decide/decide-object.ts'
import type { ObjectAction } from '../decide/housekeeping.ts'
import { type CheckedIngress, ingressKind } from '../decide/ingress-kind.ts'
import { ingressOwner } from '../decide/marks.ts'
import { wasCarried } from '../decide/precedence.ts'
import { type IngressReading, ingressReading } from '../decide/reading.ts'
import { actionKey } from '../decide/refusals.ts'
import { rollbackOfRefused } from '../decide/rollback.ts'
import { ingressStatus, refusedStatus, withDoubts } from '../decide/status.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { AgentsOfObjects } from './agent-words.ts'
import { HealthPorts } from './health-ports.ts'
import { IngressCaches, ingressKey } from './ingress-caches.ts'
import { ingressSayings } from './ingress-events.ts'
import { IngressMemory } from './ingress-memory.ts'
import { NeighbourCaches } from './neighbour-caches.ts'
import { decidePass, isKnown, objectOfAction, type Seen, takesOut } from './object-pass.ts'
import { IngressEffects } from './perform.ts'

interface IngressLoopParts extends ControllerParts {
  readonly groups: readonly IngressGroup[]
  /** Absent: no agents answer for the nodes, and a grace runs from its marks. */
  readonly agents?: Agents
}

const ASK_AGENT_AGAIN_MS = 500

/** Brings the nodes of all IngressDaemonSets to what their objects ask for. A key is an object. */
export class IngressLoop implements OwnedSystem<Seen, ObjectAction> {
  readonly name = 'ingress'
  readonly keyOf = actionKey
  readonly decide = decidePass
  readonly isKnown = isKnown
  readonly takesOut = takesOut
  readonly objectOf = objectOfAction
  readonly #parts: IngressLoopParts
  readonly #caches: IngressCaches
  readonly #neighbours: NeighbourCaches
  readonly #events: EventsOnce
  readonly #budget: ControllerBudget
  readonly #loop: OwnedLoop<Seen, ObjectAction>
  readonly #effects: IngressEffects
  readonly #latest = new Latest()
  readonly #statusOf: ReadonlyMap<IngressGroup, StatusWriter<CheckedIngress>>
  readonly #memory: IngressMemory
  readonly #agents: AgentsOfObjects | undefined
  readonly #ports: HealthPorts | undefined

  constructor(parts: IngressLoopParts) {
    const { clock, objects, cluster, groups } = parts
    this.#parts = parts
    this.#memory = new IngressMemory(clock)
    this.#agents = parts.agents === undefined ? undefined : new AgentsOfObjects({ agents: parts.agents, clock })
    this.#ports =
      parts.agents === undefined
        ? undefined
        : new HealthPorts({ agents: parts.agents, clock, onNews: (key) => this.#loop.changed(key) })
    this.#caches = new IngressCaches({
      ...parts,
      onObject: (key) => {
        this.#neighbours.changed()
        this.#loop.changed(key)
      },
      onOwned: (key) => this.#loop.changed(key),
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
    this.#events = new EventsOnce(parts.notices)
    const { nodes } = this.#caches
    this.#budget = new ControllerBudget({ ...parts, name: this.name, nodes, onNews: () => this.wake() })
    this.#effects = new IngressEffects({
      ...{ objects, cluster, latest: this.#latest },
      nodeWrites: new NodeWrites({ cluster, latest: this.#latest, budget: this.#budget, nodes }),
      unshown: this.#memory,
    })
    this.#statusOf = new Map(
      groups.map((group) => [group, new StatusWriter({ objects, kind: ingressKind(group), clock })]),
    )
    this.#loop = new OwnedLoop({ ...parts, system: this, refused: this.#memory.refused })
  }

  /** Runs the caches and the loop until aborted, then rejects with the signal's reason. After `stop`, only the caches go on. */
  async run(signal: AbortSignal): Promise<void> {
    const loops = [this.#caches.run(signal), this.#neighbours.run(signal), this.#loop.run(signal)]
    await Promise.all([...loops, ...(this.#ports === undefined ? [] : [this.#ports.run(signal)])])
  }

  /** Starts no new pass, and resolves when the running passes have ended. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** We lead now, or something changed that concerns all objects. */
  wake(): void {
    for (const object of this.#caches.objects()) this.#loop.changed(ingressKey(object))
  }

  status(): LoopStatus {
    return this.#loop.status()
  }

  async gather(key: string, signal: AbortSignal): Promise<Seen | undefined> {
    await Promise.all([this.#caches.synced(signal), this.#neighbours.synced(signal)])
    const object = this.#caches.object(key)
    if (object === undefined) {
      const uids = new Set(this.#caches.objects().map(({ uid }) => uid))
      this.#memory.keep(uids)
      this.#events.keepObjects(uids)
      this.#agents?.keep(uids)
      this.#ports?.keep(uids)
      return undefined
    }
    const refused = (findings: readonly FieldFinding[]): Seen => ({
      ...{ kind: 'refused', name: object.name, object, key, findings, ...this.#rollbackOfRefused(object) },
      doubts: findings.filter((finding) => !isError(finding)),
    })
    if (object.findings.some(isError) && !object.deleting) return refused(object.findings)
    await this.#budget.readIfOld(signal)
    await this.#memory.findUnshown(this.#parts.objects, signal)
    const beside = object.deleting ? [] : this.#neighbours.findings(object)
    const doubts = [...object.findings, ...beside]
    if (beside.some(isError) && !wasCarried(object)) return refused(doubts)
    const nodes = this.#latest.all(this.#caches.nodes.objects())
    const latest = this.#latest.all(this.#caches.around(object).deployments)
    await this.#agents?.of(object.uid).ask(nodes, latest, signal)
    await this.#ports?.follow({ uid: object.uid, key }, { nodes, deployments: latest }, signal)
    return { kind: 'seen', reading: this.#readingOf(object, nodes), object, key, doubts }
  }

  #rollbackOfRefused(object: CheckedIngress): Pick<Extract<ObjectReading, { kind: 'refused' }>, 'back' | 'reading'> {
    if (object.rollbackTo === undefined) return {}
    const reading = this.#readingOf(object)
    const back = rollbackOfRefused(object, reading, (spec) => this.#neighbours.findings({ ...object, spec }))
    return back === undefined ? {} : { back, reading }
  }

  #readingOf(object: CheckedIngress, known?: readonly Node[]): IngressReading {
    const { clock } = this.#parts
    const now = clock.wallMs()
    const nodes = known ?? []
    const isHere = (one: OwnedObject): boolean => one.namespace === object.namespace
    const budget = this.#budget.facts() ?? NOTHING_READ
    const slotHolder = this.#budget.holderOf(ingressOwner(object))
    const { deployments, gates, revisions, daemonSets } = this.#caches.around(object)
    const ours = this.#latest.all(deployments)
    const words = this.#agents?.of(object.uid)
    // Without the Nodes, every claim would count as gone.
    if (known !== undefined) this.#memory.noteSlots(slotHolder, { slots: budget.slots, ours, nodes, object }, now)
    return ingressReading({
      object,
      ...(object.deleting ? {} : { conflicts: this.#neighbours.findings(object).filter(isError) }),
      status: object.status.fields,
      isFresh: this.#caches.isFresh(),
      ...present({ outage: followersAwaited({ awayAt: this.#caches.awayAt(), now: clock.monoMs() }) }),
      now,
      nodes,
      deployments: this.#memory.deployments.with(ours, isHere),
      gates: this.#latest.all(this.#memory.gates.with(gates, isHere)),
      revisions,
      daemonSets: this.#memory.daemonSets.with(this.#latest.all(daemonSets), isHere),
      podsOf: this.#caches.podsOf(object),
      budget,
      slotHolder,
      heldSlot: (node) => this.#memory.heldSlot(slotHolder, node),
      agentOf: (node) => words?.of(node),
      closedPortOf: (node) => this.#ports?.closedOn(object.uid, node),
      acknowledgedSince: (node) => this.#memory.acknowledgedSince(object, node, now),
      ...this.#memory.refused.known(object, now),
    })
  }

  /** A silent agent is asked again. While the budget cannot be read, there may be a slot to release that no pass knows. */
  againInMs({ reasons }: LoopDecision<ObjectAction>): number | undefined {
    if (reasons.some(({ code }) => code === 'AgentNotHeard')) return ASK_AGENT_AGAIN_MS
    return this.#budget.facts()?.fault === undefined ? undefined : BUDGET_AGE_MS
  }

  subjectOf({ object }: Seen): Subject {
    return object
  }

  /** The claim comes right after the operation, for which all Nodes were read. */
  async gatherFresh({ action, key, seen }: Bound<Seen, ObjectAction>, signal: AbortSignal): Promise<Seen | undefined> {
    const nodes = await (action.kind === 'claim'
      ? this.#budget.readWithNode(action.node, signal)
      : this.#budget.readWithNodes(signal))
    const object = this.#caches.object(key)
    if (object === undefined) return undefined
    return { kind: 'seen', reading: this.#readingOf(object, nodes), object, key, doubts: seen.doubts }
  }

  async perform(action: ObjectAction, { reading }: Seen, signal: AbortSignal): Promise<void> {
    if (reading !== undefined) await this.#effects.perform(action, reading, signal)
  }

  async tell(seen: Seen, decision: LoopDecision<ObjectAction>, signal: AbortSignal): Promise<void> {
    const { object } = seen
    const wanted =
      seen.kind === 'refused'
        ? refusedStatus(object.status.fields, decision.reasons)
        : ingressStatus(seen.reading.snapshot, decision.reasons)
    if (wanted !== undefined && !isLeaving(object)) {
      const status = withDoubts(wanted, seen.doubts, object.status.conditions)
      await this.#statusOf.get(object.group)?.write(object, status, signal)
    }
    const sayings = ingressSayings(object.name, decision.reasons, seen.doubts)
    await this.#events.tell({ ...object, kind: ingressKind(object.group) }, sayings, signal)
  }
}

const isError = ({ severity }: FieldFinding): boolean => severity === 'error'

/** The status cannot be written any more once the object has no finalizer. */
const isLeaving = ({ deleting, finalizers }: IngressDaemonSet): boolean => deleting && finalizers.length === 0
