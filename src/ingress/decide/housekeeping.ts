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

/** What an IngressDaemonSet needs beside its nodes, and what is left over of it. */
type HousekeepingAction =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'createRevision'; readonly number: number; readonly collisionCount: number }
  /** A template that is used once more gets the highest number. */
  | { readonly kind: 'renumberRevision'; readonly revision: OwnedObject; readonly number: number }
  /** One write: the template and the placement, where they are other ones, and `spec.rollbackTo` goes. */
  | { readonly kind: 'rollBack'; readonly template?: object; readonly placement?: string }
  | { readonly kind: 'deleteRevision'; readonly revision: OwnedObject }
  /** Its owner is gone, and it is one of ours by its labels, its name and its selector. */
  | { readonly kind: 'adopt'; readonly deployment: FoundDeployment }
  /** A second Deployment of its node, or of no node that it names. */
  | { readonly kind: 'deleteSurplus'; readonly deployment: FoundDeployment }
  /** Of a node that has no Deployment any more. */
  | { readonly kind: 'deleteGate'; readonly gate: OwnedObject }
  /** What changes no pod: labels, owners, the health checks, the strategy and the deadlines. */
  | { readonly kind: 'align'; readonly deployment: FoundDeployment; readonly patch: Readonly<Record<string, unknown>> }

interface Needed {
  readonly actions: readonly HousekeepingAction[]
  /** Wanted as well, and not tried in this pass. */
  readonly later?: readonly HousekeepingAction[]
  readonly reasons: readonly Reason[]
}

/** So many writes of one kind in one pass. */
const AT_ONCE = 50

/** Before anything is done to a node: the object stays until all is put back, and the template is kept. */
export function neededFirst(reading: IngressReading): Needed | undefined {
  const { object } = reading.snapshot
  if (!object.finalizers.includes(INGRESS_FINALIZER))
    return {
      actions: [{ kind: 'addFinalizer' }],
      reasons: [{ code: 'IngressPrepared', object: object.name, text: `${object.name} gets its finalizer` }],
    }
  return revisionAction(reading)
}

/** A rollback comes before a template that is used once more gets another number: it may be asked for by the old one. */
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

/** Beside what is done to nodes. */
export function housekeeping(reading: IngressReading): Needed {
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
  const { now: actions, later } = atMost(AT_ONCE, all, snapshot)
  const count = actions.length + later.length
  const text = `${count} objects of ${object.name} are brought in order`
  const reasons: readonly Reason[] = count === 0 ? [] : [{ code: 'IngressPrepared', object: object.name, text }]
  return { actions, later, reasons }
}

/** Gates of nodes that have no Deployment: where it goes, its pods are deleted, which no gate holds up. */
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

/** Those that no node has, beyond the number that the object keeps; the oldest go. */
function unusedRevisions({ snapshot, revisions, deployments }: IngressReading): readonly HousekeepingAction[] {
  const { object, revisions: named } = snapshot
  if (revisions.length <= object.spec.revisionHistoryLimit) return []
  const used = new Set([
    ...[...deployments.ours.values()].map(({ annotations }) => annotations[TEMPLATE_HASH_ANNOTATION]),
    named.desired,
    named.current,
  ])
  const unused = revisions.filter(({ labels }) => !used.has(labels[REVISION_HASH_LABEL])).toSorted(byNumber)
  const tooMany = Math.max(0, unused.length - object.spec.revisionHistoryLimit)
  return unused.slice(0, tooMany).map((revision) => ({ kind: 'deleteRevision', revision }) as const)
}

const byNumber = (one: OwnedObject, other: OwnedObject): number => numberOf(one) - numberOf(other)

/** A node that something is under way on is left alone: its strategy may be another one meanwhile. */
function drifted(reading: IngressReading): readonly HousekeepingAction[] {
  const { object } = reading.snapshot
  const owner = ingressOwner(object)
  const areReady = areCheckersReady(reading)
  const { ours } = reading.deployments
  const recall = DRIFTS(object.spec, ours.size)
  const actions: HousekeepingAction[] = []
  for (const [node, deployment] of ours) {
    if (OP_ANNOTATION in deployment.annotations || deployment.deleting) continue
    const inputs = [object.uid, owner, node, areReady]
    const patch = recall(deployment, inputs, () => driftOf(object, { node, deployment, areReady }))
    if (patch !== undefined) actions.push({ kind: 'align', deployment, patch })
  }
  return actions
}

type Drift = ReturnType<typeof deploymentPatch>

const DRIFTS = remembered<FoundDeployment, Drift>()

interface Kept {
  readonly node: string
  readonly deployment: FoundDeployment
  readonly areReady: boolean
}

function driftOf(object: IngressDaemonSet, { node, deployment, areReady }: Kept): Drift {
  const { [REVISION_ANNOTATION]: number, [TEMPLATE_HASH_ANNOTATION]: hash = '' } = deployment.annotations
  const wanted = wantedDeployment(object, {
    identity: identityOf(deployment, node),
    revision: { number: Number(number ?? 0), hash },
    replicas: deployment.replicas,
    found: deployment,
    areCheckersReady: areReady,
  })
  return deploymentPatch(deployment, wanted, 'keep')
}

/** What is done for an IngressDaemonSet, beside its nodes or to them. */
export type ObjectAction = IngressAction | HousekeepingAction | HealthCheckerAction
