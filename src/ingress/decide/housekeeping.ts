import {
  INGRESS_FINALIZER,
  REVISION_ANNOTATION,
  REVISION_HASH_LABEL,
  TEMPLATE_HASH_ANNOTATION,
} from '../../ground/model/ingress-keys.ts'
import { deploymentPatch } from '../../ground/model/owned/difference.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import type { IngressAction } from './action.ts'
import { wantedDeployment } from './deployment.ts'
import { areCheckersReady, type HealthCheckerAction } from './health-checker.ts'
import { ingressOwner } from './marks.ts'
import { identityOf, revisionName } from './names.ts'
import { OP_ANNOTATION } from './op.ts'
import type { IngressReading } from './reading.ts'
import { atMost } from './refusals.ts'
import { remembered } from './remembered.ts'
import { holdsTemplateOf, numberOf, templateHash } from './revision.ts'
import { rollbackOf } from './rollback.ts'
import { type IngressNode, isGivingWay } from './snapshot.ts'

/** Actions that an IngressDaemonSet needs beside its nodes, and the cleanup of what is left over. */
type HousekeepingAction =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'createRevision'; readonly number: number; readonly collisionCount: number }
  /** Gives the highest number to a template that is used again. */
  | { readonly kind: 'renumberRevision'; readonly revision: OwnedObject; readonly number: number }
  /** One write: sets the template and the placement if they differ, and removes `spec.rollbackTo`. */
  | { readonly kind: 'rollBack'; readonly template?: object; readonly placement?: string }
  | { readonly kind: 'deleteRevision'; readonly revision: OwnedObject }
  /** Adopts a Deployment without an owner that has our labels, name and selector. */
  | { readonly kind: 'adopt'; readonly deployment: FoundDeployment }
  /** Deletes a second Deployment of a node, or one that names no node. */
  | { readonly kind: 'deleteSurplus'; readonly deployment: FoundDeployment }
  /** Deletes the gate of a node without a Deployment. */
  | { readonly kind: 'deleteGate'; readonly gate: OwnedObject }
  /** Corrects labels, owners, health checks, strategy and deadlines, which changes no pod. */
  | { readonly kind: 'align'; readonly deployment: FoundDeployment; readonly patch: Readonly<Record<string, unknown>> }

interface Needed {
  readonly actions: readonly HousekeepingAction[]
  /** Actions that are wanted and not tried in this pass. */
  readonly later?: readonly HousekeepingAction[]
  readonly reasons: readonly Reason[]
}

/** At most so many of these writes in a pass. */
const AT_ONCE = 50

/** What comes before any work on a node: the finalizer, so that the object stays until all nodes are put back, and the stored template. */
export function neededFirst(reading: IngressReading): Needed | undefined {
  const { object } = reading.snapshot
  if (!object.finalizers.includes(INGRESS_FINALIZER))
    return {
      actions: [{ kind: 'addFinalizer' }],
      reasons: [{ code: 'IngressPrepared', object: object.name, text: `${object.name} gets its finalizer` }],
    }
  return revisionAction(reading)
}

/** Stores the template, rolls back, or renumbers. A rollback comes before a renumbering, since it may name the old number. */
function revisionAction({ snapshot, revisions, revisionNames }: IngressReading): Needed | undefined {
  const { object } = snapshot
  const { name, spec } = object
  const prepared = (action: HousekeepingAction): Needed => ({
    actions: [action],
    reasons: [{ code: 'IngressPrepared', object: name, text: `the template of ${name} is kept as a revision` }],
  })
  const highest = Math.max(0, ...revisions.map(numberOf))
  const hash = templateHash(spec)
  const sameHash = revisions.filter(({ labels }) => labels[REVISION_HASH_LABEL] === hash)
  const kept = sameHash.find((revision) => holdsTemplateOf(revision, spec))
  if (kept === undefined) {
    let collisionCount = 0
    while (revisionNames.has(revisionName(name, hash, collisionCount))) collisionCount += 1
    return prepared({ kind: 'createRevision', number: highest + 1, collisionCount })
  }
  const back = rollbackOf(object, { revisions, rejected: snapshot.revisions.rejected?.revision })
  if (back !== undefined && back.kind !== 'refused')
    return { actions: [{ kind: 'rollBack', ...back.to }], reasons: [back.reason] }
  return numberOf(kept) === highest
    ? undefined
    : prepared({ kind: 'renumberRevision', revision: kept, number: highest + 1 })
}

/** The cleanup beside the work on nodes. `isHeld`: the action waits, since it was done in vain before. */
export function housekeeping(
  reading: IngressReading,
  isHeld: (action: HousekeepingAction) => boolean = () => false,
): Needed {
  const { snapshot, deployments } = reading
  const { object } = snapshot
  const all: readonly HousekeepingAction[] = [
    ...deployments.orphans.map(({ deployment }) => ({ kind: 'adopt', deployment }) as const),
    ...deployments.surplus
      .filter(({ deleting }) => !deleting)
      .map((deployment) => ({ kind: 'deleteSurplus', deployment }) as const),
    ...unusedGates(reading),
    ...unusedRevisions(reading),
    ...drifted(reading),
  ]
  const free = all.filter((action) => !isHeld(action))
  const { now: actions, later: rest } = atMost(AT_ONCE, free, snapshot)
  const later = [...rest, ...all.filter((action) => isHeld(action))]
  const count = actions.length + later.length
  const text = `${count} objects of ${object.name} are brought in order`
  const reasons: readonly Reason[] = count === 0 ? [] : [{ code: 'IngressPrepared', object: object.name, text }]
  return { actions, later, reasons }
}

/** Gates of nodes without a Deployment. The pods of a deleted Deployment are deleted and not evicted, so they need no gate. */
function unusedGates({ gates, deployments: { names } }: IngressReading): readonly HousekeepingAction[] {
  const known = UNUSED_GATES.get(gates)
  if (known?.names === names) return known.actions
  const actions = [...gates.values()]
    .filter(({ name, deleting }) => !names.has(name) && !deleting)
    .map((gate) => ({ kind: 'deleteGate', gate }) as const)
  UNUSED_GATES.set(gates, { names, actions })
  return actions
}

interface UnusedGates {
  readonly names: ReadonlySet<string>
  readonly actions: readonly HousekeepingAction[]
}

/** A set of gates never changes. */
const UNUSED_GATES = new WeakMap<IngressReading['gates'], UnusedGates>()

/** The oldest unused revisions beyond `revisionHistoryLimit`. */
function unusedRevisions({ snapshot, revisions, deployments }: IngressReading): readonly HousekeepingAction[] {
  const { object, revisions: named } = snapshot
  if (revisions.length <= object.spec.revisionHistoryLimit) return []
  const used = new Set([
    ...[...deployments.ours.values()].map(({ annotations }) => annotations[TEMPLATE_HASH_ANNOTATION]),
    named.desired,
    named.current,
  ])
  const unused = revisions
    .filter(({ labels, deleting }) => !deleting && !used.has(labels[REVISION_HASH_LABEL]))
    .toSorted(byNumber)
  const tooMany = Math.max(0, unused.length - object.spec.revisionHistoryLimit)
  return unused.slice(0, tooMany).map((revision) => ({ kind: 'deleteRevision', revision }) as const)
}

const byNumber = (one: OwnedObject, other: OwnedObject): number => numberOf(one) - numberOf(other)

/** Corrections of Deployments. A node with an operation is left alone, since its strategy may differ during that. */
function drifted(reading: IngressReading): readonly HousekeepingAction[] {
  const { object } = reading.snapshot
  const owner = ingressOwner(object)
  const areReady = areCheckersReady(reading)
  const { ours } = reading.deployments
  const givesWay = isGivingWay(reading.snapshot)
  // No checker is placed on the others, or it goes.
  const placed = areReady ? new Set(reading.snapshot.nodes.filter(isToRun).map(({ name }) => name)) : NONE
  const recall = DRIFTS(object.spec, ours.size)
  const actions: HousekeepingAction[] = []
  for (const [node, deployment] of ours) {
    if (OP_ANNOTATION in deployment.annotations || deployment.deleting) continue
    const isChecked = placed.has(node)
    const inputs = [object.uid, owner, node, isChecked, givesWay]
    const patch = recall(deployment, inputs, () => driftOf(object, { node, deployment, isChecked, givesWay }))
    if (patch !== undefined) actions.push({ kind: 'align', deployment, patch })
  }
  return actions
}

const NONE: ReadonlySet<string> = new Set()

const isToRun = ({ eligibility }: IngressNode): boolean => eligibility === 'Run'

type Drift = ReturnType<typeof deploymentPatch>

const DRIFTS = remembered<FoundDeployment, Drift>()

interface Kept {
  readonly node: string
  readonly deployment: FoundDeployment
  /** A pod of the health checker may answer there. */
  readonly isChecked: boolean
  readonly givesWay: boolean
}

function driftOf(object: IngressDaemonSet, { node, deployment, isChecked, givesWay }: Kept): Drift {
  const { [REVISION_ANNOTATION]: number, [TEMPLATE_HASH_ANNOTATION]: hash = '' } = deployment.annotations
  const wanted = wantedDeployment(object, {
    identity: identityOf(deployment, node),
    revision: { number: Number(number ?? 0), hash },
    replicas: deployment.replicas,
    found: deployment,
    health: { isChecked, givesWay },
  })
  return deploymentPatch(deployment, wanted, 'keep')
}

/** All actions for an IngressDaemonSet. */
export type ObjectAction = IngressAction | HousekeepingAction | HealthCheckerAction
