import { MAINTENANCE_ANNOTATION } from '../../model/claims.ts'
import type { IngressDaemonSet } from '../../model/ingress-daemon-set.ts'
import {
  INGRESS_NODE_LABEL,
  NODE_UID_ANNOTATION,
  RETRY_ANNOTATION,
  SKIP_ANNOTATION,
  TEMPLATE_HASH_ANNOTATION,
} from '../../model/ingress-keys.ts'
import type { Node } from '../../model/node.ts'
import type { OwnedObject } from '../../model/owned-object.ts'
import type { SeenSlot } from '../../model/slot.ts'
import type { WallMs } from '../../model/time.ts'
import type { BudgetFacts } from '../budget/budget-facts.ts'
import { budgetNode } from '../budget/budget-node.ts'
import { othersSlot, ownerText } from '../budget/owner-text.ts'
import type { NodeOut } from '../budget/snapshot.ts'
import { whoIsOut } from '../budget/who-is-out.ts'
import { type SortedDeployments, sortDeployments } from './belonging.ts'
import { HOLDERS_ANNOTATION } from './detach-holders.ts'
import { gatePatch } from './difference.ts'
import { wantedGate } from './drain-gate.ts'
import { eligibilityIn } from './eligibility.ts'
import type { IngressFinding } from './finding.ts'
import type { FoundDeployment, IngressPod } from './found.ts'
import { ingressOwner } from './marks.ts'
import { identityOf, matchLabelsOf, type NodeIdentity, newIdentity } from './names.ts'
import { OP_ANNOTATION, parseOp } from './op.ts'
import { rejectionOf } from './rejection.ts'
import { templateHash } from './revision.ts'
import { rollbackOf } from './rollback.ts'
import type { IngressDeployment, IngressNode, IngressSnapshot } from './snapshot.ts'
import { toldRollout } from './told-rollout.ts'

/** All that was read for a decision about an IngressDaemonSet. */
interface IngressFound {
  readonly object: IngressDaemonSet
  /** Errors that the object has beside others; absent: none. */
  readonly conflicts?: readonly IngressFinding[]
  /** The fields of its status, as they stand. */
  readonly status: Readonly<Record<string, unknown>>
  /** No cache is behind for longer than it may be. */
  readonly isFresh: boolean
  readonly now: WallMs
  readonly nodes: readonly Node[]
  /** Of its namespace: those that bear the label of the object, and what has a name of ours without it. */
  readonly deployments: readonly FoundDeployment[]
  readonly gates: readonly OwnedObject[]
  readonly revisions: readonly OwnedObject[]
  /** Of this object, by the label of their node. */
  podsOf(nodeLabel: string): readonly IngressPod[]
  readonly budget: BudgetFacts
  /** Who holds the slots of this object, as their Leases say. */
  readonly slotHolder: string
  /** Since when a slot is known to be ours, by the name of its node. */
  slotSince(node: string): WallMs | undefined
  /** When the acknowledgement that stands on the Node was first seen. */
  acknowledgedSince(node: Node): WallMs | undefined
  /** What the agent of a node says; undefined: agents are not asked. */
  agentOf(node: string): IngressNode['agent']
}

/** What a decision goes by, and the objects that its effects are about. */
export interface IngressLook {
  readonly snapshot: IngressSnapshot
  readonly deployments: SortedDeployments<FoundDeployment>
  /** The PodDisruptionBudgets of this object, by name. */
  readonly gates: ReadonlyMap<string, OwnedObject>
  /** The ControllerRevisions of this object. */
  readonly revisions: readonly OwnedObject[]
  /** Of all ControllerRevisions of its namespace: an object of the other group may have its name and its template. */
  readonly revisionNames: ReadonlySet<string>
}

/** A Node never changes, and its names are asked for in each pass. */
const IDENTITIES = new WeakMap<Node, Map<string, NodeIdentity>>()

/** As the objects of a node are named where there are none yet. */
export function identityFor({ name, uid }: IngressDaemonSet, node: Node): NodeIdentity {
  const known = IDENTITIES.get(node) ?? new Map<string, NodeIdentity>()
  IDENTITIES.set(node, known)
  const identity = known.get(uid) ?? newIdentity({ name, uid }, node.name)
  known.set(uid, identity)
  return identity
}

export function lookAt(found: IngressFound): IngressLook {
  const { object, nodes } = found
  const isOurs = ({ controller }: OwnedObject): boolean => controller?.uid === object.uid
  const deployments = sortDeployments(
    object,
    found.deployments,
    nodes.map((node) => identityFor(object, node)),
  )
  const gates = new Map(found.gates.filter(isOurs).map((gate) => [gate.name, gate]))
  const out = nodesOut(found, deployments)
  const revisions = found.revisions.filter(isOurs)
  const rejected = word('rejected', found.status.rejectedRevision)
  const rollback = rollbackOf(object, { revisions, ...rejected })
  const told = toldRollout(found.status)
  return {
    deployments,
    gates,
    revisions,
    revisionNames: new Set(found.revisions.map(({ name }) => name)),
    snapshot: {
      object,
      conflicts: (found.conflicts ?? []).map(({ field, message, fix }) => ({
        ...{ code: 'IngressConflict', object: object.name, text: `${field}: ${message}`, next: fix },
      })),
      now: found.now,
      isFresh: found.isFresh,
      revisions: {
        desired: templateHash(object.spec),
        ...word('current', found.status.currentRevision),
        ...rejected,
        ...word('promoted', object.promoted),
      },
      ...(told === undefined ? {} : { toldRollout: told }),
      ...(rollback?.kind === 'refused' ? { rollbackRefused: rollback.reason } : {}),
      budget: {
        limit: found.budget.limit,
        fleet: nodes.length,
        ...(found.budget.fault === undefined ? {} : { fault: found.budget.fault }),
        out,
        slots: found.budget.slots,
      },
      nodes: nodeViews(found, deployments, gates),
    },
  }
}

const word = <K extends string>(key: K, value: unknown): { readonly [P in K]?: string } =>
  (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { readonly [P in K]?: string }

/**
 * Of all nodes: no balancer is asked here, so that a node counts by what stands on it, and by the slot that is held for it. Where no
 * brake is, the agent of a cordoned node, and a detacher, take it out at once: one that has pods of this object counts.
 */
function nodesOut({ nodes, budget }: IngressFound, { ours }: SortedDeployments<FoundDeployment>): readonly NodeOut[] {
  const out = whoIsOut({
    nodes: nodes.map(budgetNode),
    places: [],
    cordons: budget.cordons,
    slots: budget.slots.filter(({ isStale }) => !isStale).map(othersSlot),
    returning: new Set(),
  })
  if (typeof budget.cordons === 'object') return out
  const cordoned = new Set(
    nodes.filter(({ name, unschedulable }) => unschedulable && ours.has(name)).map(({ name }) => name),
  )
  const more = new Set([...cordoned].filter((name) => !out.some(({ node }) => node === name)))
  return [
    ...out.map((one): NodeOut => (cordoned.has(one.node) ? { ...one, why: [...one.why, BY_CORDON] } : one)),
    ...[...more].map((node): NodeOut => ({ node, why: [BY_CORDON] })),
  ]
}

const BY_CORDON = { kind: 'cordoned', text: 'is cordoned, and no brake holds that back' } as const

function nodeViews(
  found: IngressFound,
  { ours }: SortedDeployments<FoundDeployment>,
  gates: ReadonlyMap<string, OwnedObject>,
): readonly IngressNode[] {
  const { object, nodes } = found
  const owner = ingressOwner(object)
  const slots = new Map(
    found.budget.slots.flatMap((slot) =>
      slot.isStale || slot.owner.node === undefined ? [] : [[slot.owner.node, slot]],
    ),
  )
  const eligibility = eligibilityIn(object.spec)
  const listed = nodes.flatMap((node): readonly IngressNode[] => {
    const { kind, isGoing = false } = eligibility(node)
    const deployment = ours.get(node.name)
    const slot = slotOf(found, node.name, slots.get(node.name))
    const view = viewOf(found, { name: node.name, node, deployment, gates })
    const matters =
      kind !== 'Leave' || deployment !== undefined || view.pods > 0 || slot.kind === 'ours' || bears(node, owner)
    return matters ? [{ ...view, eligibility: kind, isGoing, slot }] : []
  })
  const names = new Set(nodes.map(({ name }) => name))
  const held = [...slots].filter(([, slot]) => slot.owner.holder === found.slotHolder).map(([name]) => name)
  const unlisted = [...new Set([...ours.keys(), ...held])].filter((name) => !names.has(name))
  return [
    ...listed,
    ...unlisted.map(
      (name): IngressNode => ({
        ...viewOf(found, { name, deployment: ours.get(name), gates }),
        eligibility: 'Leave',
        isGoing: true,
        slot: slotOf(found, name, slots.get(name)),
      }),
    ),
  ]
}

/** Something of this object may stand on the Node. */
const bears = ({ annotations }: Node, owner: string): boolean =>
  [MAINTENANCE_ANNOTATION, HOLDERS_ANNOTATION].some((key) => annotations[key]?.includes(owner) === true)

function slotOf(found: IngressFound, node: string, slot: SeenSlot | undefined): IngressNode['slot'] {
  if (slot === undefined) return { kind: 'none' }
  if (slot.owner.holder !== found.slotHolder) return { kind: 'others', owner: ownerText(slot) }
  return { kind: 'ours', index: slot.index, takenAt: found.slotSince(node) ?? found.now }
}

interface Viewed {
  readonly name: string
  readonly node?: Node
  readonly deployment: FoundDeployment | undefined
  readonly gates: ReadonlyMap<string, OwnedObject>
}

function viewOf(
  found: IngressFound,
  { name, node, deployment, gates }: Viewed,
): Omit<IngressNode, 'eligibility' | 'isGoing' | 'slot'> {
  const label = nodeLabelOf(found.object, { node, deployment })
  const pods = label === undefined ? [] : found.podsOf(label)
  const acknowledged = node === undefined ? undefined : found.acknowledgedSince(node)
  const wish = wishOf(deployment)
  const agent = found.agentOf(name)
  return {
    name,
    pods: pods.filter(({ isFinished }) => !isFinished).length,
    ...(node === undefined ? {} : { node }),
    ...(deployment === undefined ? {} : { deployment: deploymentView(found, { deployment, node, pods, gates }) }),
    ...(agent === undefined ? {} : { agent }),
    ...(acknowledged === undefined ? {} : { acknowledgementSeen: acknowledged }),
    ...(wish === undefined ? {} : { wish }),
  }
}

function nodeLabelOf(
  object: IngressDaemonSet,
  { node, deployment }: Pick<Viewed, 'deployment'> & { readonly node: Node | undefined },
): string | undefined {
  if (deployment !== undefined) return matchLabelsOf(deployment)[INGRESS_NODE_LABEL]
  return node === undefined ? undefined : identityFor(object, node).selector[INGRESS_NODE_LABEL]
}

function wishOf(deployment: FoundDeployment | undefined): IngressNode['wish'] {
  const { [RETRY_ANNOTATION]: retry, [SKIP_ANNOTATION]: skip } = deployment?.annotations ?? {}
  if (retry !== undefined) return { kind: 'retry', of: retry }
  return skip === undefined ? undefined : { kind: 'skip', of: skip }
}

const FAILED_WITHIN_MS = 600_000

function deploymentView(
  { object, now }: IngressFound,
  of: {
    readonly deployment: FoundDeployment
    readonly node: Node | undefined
    readonly pods: readonly IngressPod[]
    readonly gates: Viewed['gates']
  },
): IngressDeployment {
  const { deployment, node, pods } = of
  const { annotations, replicas, updated, ready, available, isObserved } = deployment
  const revision = annotations[TEMPLATE_HASH_ANNOTATION] ?? ''
  const word = parseOp(annotations[OP_ANNOTATION])
  const begun = word.kind === 'op' ? (word.op.t2 ?? word.op.t0) : 0
  const tried = rejectionOf({ annotations, revision })?.triedAt ?? 0
  // Pods say in whole seconds when they were made. A note of the future would let them fail for ever.
  const since = Math.max(now - FAILED_WITHIN_MS, begun, Math.floor(Math.min(tried, now) / 1_000) * 1_000)
  const nodeUid = annotations[NODE_UID_ANNOTATION]
  const isOfEarlierNode = node !== undefined && nodeUid !== undefined && nodeUid !== node.uid
  return {
    ...{ revision, annotations, replicas, updated, ready, available, isObserved },
    oldPods: pods.filter((pod) => !pod.isFinished && pod.revision !== revision).length,
    failedPods: pods.filter(({ isFailed, createdAt }) => isFailed && createdAt >= since).length,
    gate: gateOf(object, deployment, of.gates),
    ...(isOfEarlierNode ? { isOfEarlierNode } : {}),
  }
}

/** One that others have written to is neither, so that it is written again. */
function gateOf(
  object: IngressDaemonSet,
  deployment: FoundDeployment,
  gates: Viewed['gates'],
): IngressDeployment['gate'] {
  const found = gates.get(deployment.name)
  if (found === undefined) return 'absent'
  const identity = identityOf(deployment, '')
  const states = ['closed', 'open'] as const
  return states.find((state) => isGate(found, wantedGate(object, identity, state))) ?? 'absent'
}

/** By its spec alone. */
const isGate = (found: OwnedObject, wanted: Parameters<typeof gatePatch>[1]): boolean => {
  const patch = gatePatch(found, wanted)
  return patch === undefined || !('spec' in patch)
}
