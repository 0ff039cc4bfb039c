import type { Node } from '../../ground/model/node.ts'
import type { FoundDaemonSet, FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import { listedNodes } from '../../ground/model/owned/listed-nodes.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { present } from '../../ground/model/present.ts'
import { findingReason } from '../../ground/model/schema/field-finding.ts'
import { budgetNode } from '../../service/decide/budget/budget-node.ts'
import { othersSlot } from '../../service/decide/budget/owner-text.ts'
import type { NodeOut } from '../../service/decide/budget/snapshot.ts'
import { whoIsOut } from '../../service/decide/budget/who-is-out.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import type { IngressFound } from './found.ts'
import { knownRollout } from './known-rollout.ts'
import { healthCheckerName, identityFor } from './names.ts'
import { nodeViews } from './node-views.ts'
import { type SortedDeployments, sortDeployments, sortedAsBefore } from './ownership.ts'
import { placementsOf } from './placements.ts'
import { promotionId, rejectedRevision } from './rejected-revision.ts'
import { templateHash } from './revision.ts'
import { rollbackOf } from './rollback.ts'
import type { IngressSnapshot } from './snapshot.ts'

/** The snapshot for a decision, and the objects that its actions change. */
export interface IngressReading {
  readonly snapshot: IngressSnapshot
  readonly deployments: SortedDeployments<FoundDeployment>
  /** The PodDisruptionBudgets of this object, by name. */
  readonly gates: ReadonlyMap<string, OwnedObject>
  /** Other PodDisruptionBudgets, by name. */
  readonly otherGates: ReadonlyMap<string, OwnedObject>
  /** The DaemonSet with the name of the health checker, of whatever owner. */
  readonly checker?: FoundDaemonSet
  /** The ControllerRevisions of this object. */
  readonly revisions: readonly OwnedObject[]
  /** The names of all ControllerRevisions of the namespace, since an object of the other group may have the same name and template. */
  readonly revisionNames: ReadonlySet<string>
}

export function ingressReading(found: IngressFound): IngressReading {
  const { object, nodes } = found
  const isOurs = ({ controller }: OwnedObject): boolean => controller?.uid === object.uid
  const deployments = sorted(found)
  const { ours: gates, others: otherGates } = gatesOf(found)
  const out = nodesOut(found, deployments)
  const revisions = found.revisions.filter(isOurs)
  const desired = templateHash(object.spec)
  const rejected = rejectedRevision(found.status, { desired, retried: object.retried })
  const rollback = rollbackOf(object, { revisions, rejected: rejected?.revision })
  const checker = found.daemonSets.find(({ name }) => name === healthCheckerName(object.name))
  const known = knownRollout(found.status)
  const named = {
    desired,
    ...word('current', found.status.currentRevision),
    ...present({ rejected }),
    ...(object.promoted === promotionId(desired, rejected) ? { promoted: desired } : {}),
  }
  return {
    deployments,
    gates,
    otherGates,
    ...present({ checker }),
    revisions,
    revisionNames: new Set(found.revisions.map(({ name }) => name)),
    snapshot: {
      object,
      conflicts: (found.conflicts ?? []).map((finding) =>
        findingReason({ code: 'IngressConflict', object: object.name }, finding),
      ),
      now: found.now,
      isFresh: found.isFresh,
      ...present({ outage: found.outage }),
      revisions: named,
      ...present({ knownRollout: known }),
      listedNodes: listedNodes(found.status),
      ...(rollback?.kind === 'refused' ? { rollbackRefused: rollback.reason } : {}),
      ...present({ refusals: found.refusals, unbegun: found.unbegun }),
      budget: {
        limit: found.budget.limit,
        fleet: nodes.length,
        ...present({ fault: found.budget.fault }),
        out,
        slots: found.budget.slots,
      },
      nodes: nodeViews(found, deployments.ours, { gates, placements: placementsOf(found, named) }),
    },
  }
}

interface NamedGates {
  readonly uid: string
  readonly ours: ReadonlyMap<string, OwnedObject>
  readonly others: ReadonlyMap<string, OwnedObject>
}

/** By the list of the cache, which never changes. */
const GATES = new WeakMap<readonly OwnedObject[], NamedGates>()

function gatesOf({ object, gates }: IngressFound): NamedGates {
  const known = GATES.get(gates)
  if (known?.uid === object.uid) return known
  const ours = new Map<string, OwnedObject>()
  const others = new Map<string, OwnedObject>()
  for (const gate of gates) (gate.controller?.uid === object.uid ? ours : others).set(gate.name, gate)
  const named = { uid: object.uid, ours, others }
  GATES.set(gates, named)
  return named
}

interface Sorted {
  readonly object: Pick<IngressDaemonSet, 'name' | 'uid' | 'deleting'>
  readonly found: readonly FoundDeployment[]
  readonly nodes: readonly Node[]
  readonly sorted: SortedDeployments<FoundDeployment>
}

/** By the spec of the object. */
const SORTED = new WeakMap<object, Sorted>()

/** The sorted Deployments. While the names of the nodes are the same, only changed Deployments are sorted again. */
function sorted({ object, deployments: found, nodes }: IngressFound): SortedDeployments<FoundDeployment> {
  const last = SORTED.get(object.spec)
  const isSameObject =
    last?.object.uid === object.uid && last.object.name === object.name && last.object.deleting === object.deleting
  const isAsLast = last !== undefined && isSameObject && hasSameNames(last.nodes, nodes)
  const sorted =
    (isAsLast ? sortedAsBefore(object, last, found) : undefined) ??
    sortDeployments(
      object,
      found,
      nodes.map((node) => identityFor(object, node)),
    )
  SORTED.set(object.spec, { object, found, nodes, sorted })
  return sorted
}

const hasSameNames = (one: readonly Node[], other: readonly Node[]): boolean =>
  one.length === other.length && one.every(({ name }, at) => name === other[at]?.name)

const word = <K extends string>(key: K, value: unknown): { readonly [P in K]?: string } =>
  (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { readonly [P in K]?: string }

/**
 * The nodes that are out. No balancer is asked here, so a node counts by its Node and by the slot that is held for it. Without a brake, the
 * agent or a detacher takes a cordoned node out at once, so a cordoned node with pods of this object counts.
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
