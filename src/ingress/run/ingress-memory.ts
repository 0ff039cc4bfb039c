import { DAEMON_SETS, DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import { Unshown } from '../../ground/loop/owned/unshown.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import type { FoundDaemonSet, FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { NODE_ANNOTATION, type SeenSlot, slotIdentity } from '../../ground/model/slot.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { HeldSlot } from '../decide/found.ts'
import { ingressOwner } from '../decide/marks.ts'
import { OP_ANNOTATION } from '../decide/op.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { IngressRefusals } from './ingress-refusals.ts'

interface NotedSlot extends HeldSlot {
  /** The last operation on the Deployment, as text. */
  readonly op?: string
  /** The UID of the Node that had a claim of the object. */
  readonly claimed?: string
}

interface SeenSlots {
  readonly slots: readonly SeenSlot[]
  readonly ours: Deployments
  readonly nodes: readonly Node[]
  readonly object: IngressDaemonSet
}

type Deployments = readonly FoundDeployment[]

const NO_OPS: ReadonlyMap<string, string> = new Map()
const NO_NODES: ReadonlyMap<string, Node> = new Map()

/** The operations by node, as text. */
const opsOf = (deployments: Deployments, uid: string): ReadonlyMap<string, string> =>
  new Map(
    deployments.flatMap(({ controller, annotations: { [NODE_ANNOTATION]: node, [OP_ANNOTATION]: op } }) =>
      controller?.uid !== uid || node === undefined || op === undefined ? [] : [[node, op] as const],
    ),
  )

interface Claimed {
  readonly claim: Pick<NotedSlot, 'claimed' | 'withdrawn'>
  readonly owner: string
  readonly now: WallMs
}

/** Whether the object claims the node, or since when it does not any more. A new Node of the same name was never claimed. */
function claimSeen(node: Node | undefined, { claim, owner, now }: Claimed): Claimed['claim'] {
  if (node === undefined) return {}
  if (claimsOf(node.annotations[MAINTENANCE_ANNOTATION]).some((one) => one.owner === owner))
    return { claimed: node.uid }
  const { claimed, withdrawn = now } = claim
  return claimed === node.uid ? { claimed, withdrawn } : {}
}

/** What this process has seen and no object stores. The next process begins without it, and waits a little longer. */
export class IngressMemory {
  readonly deployments: Unshown<FoundDeployment>
  readonly daemonSets: Unshown<FoundDaemonSet>
  readonly gates: Unshown<OwnedObject>
  readonly refused = new IngressRefusals()
  /** By holder, then by node. */
  readonly #slots = new Map<string, ReadonlyMap<string, NotedSlot>>()
  /** By the UID of the object, then by node: the text of the acknowledgement, and since when it is there. */
  readonly #acknowledged = new Map<string, Map<string, { readonly value: string; readonly since: WallMs }>>()

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.deployments = new Unshown({ kind: DEPLOYMENTS, clock })
    this.daemonSets = new Unshown({ kind: DAEMON_SETS, clock })
    this.gates = new Unshown({ kind: GATES, clock })
  }

  /** Reads objects that the caches have not shown for long. Rejects with the signal's reason. */
  async findUnshown(objects: Pick<Objects, 'get'>, signal: AbortSignal): Promise<void> {
    for (const unshown of [this.deployments, this.daemonSets, this.gates]) await unshown.findAgain(objects, signal)
  }

  /** Notes the slots that this holder has now, with the operations on the object's Deployments. */
  noteSlots(holder: string, { slots, ours, nodes, object }: SeenSlots, now: WallMs): void {
    const held = slots.flatMap((slot) => (slotIdentity(slot) === holder ? (slot.owner.node ?? []) : []))
    const ops = held.length === 0 ? NO_OPS : opsOf(ours, object.uid)
    const before = this.#slots.get(holder)
    const named = held.length === 0 ? NO_NODES : new Map(nodes.map((node) => [node.name, node]))
    const noted = held.map((name): readonly [string, NotedSlot] => {
      const { since = now, op: last, lost, ...claim } = before?.get(name) ?? {}
      const node = named.get(name)
      const kept = { since, ...claimSeen(node, { claim, owner: ingressOwner(object), now }) }
      const op = ops.get(name)
      if (op !== undefined) return [name, { ...kept, op }]
      if (last === undefined) return [name, kept]
      return [name, { ...kept, op: last, lost: lost ?? { op: last, since: now } }]
    })
    this.#slots.set(holder, new Map(noted))
  }

  heldSlot(holder: string, node: string): HeldSlot | undefined {
    return this.#slots.get(holder)?.get(node)
  }

  /** When the acknowledgement on the Node was first seen. Undefined: there is none. */
  acknowledgedSince({ spec, uid }: IngressDaemonSet, node: Node, now: WallMs): WallMs | undefined {
    const key = spec.detach.acknowledgement?.key
    if (key === undefined) return undefined
    const value = node.annotations[key]
    const seen = this.#acknowledged.get(uid) ?? new Map<string, { readonly value: string; readonly since: WallMs }>()
    this.#acknowledged.set(uid, seen)
    if (value === undefined) {
      seen.delete(node.name)
      return undefined
    }
    const known = seen.get(node.name)
    if (known?.value === value) return known.since
    seen.set(node.name, { value, since: now })
    return now
  }

  /** Forgets all other objects. */
  keep(uids: ReadonlySet<string>): void {
    this.refused.keepSubjects(uids)
    // Objects of others in the way of the remaining objects are found again.
    for (const unshown of [this.deployments, this.daemonSets, this.gates]) unshown.clear()
    for (const uid of this.#acknowledged.keys()) if (!uids.has(uid)) this.#acknowledged.delete(uid)
  }
}
