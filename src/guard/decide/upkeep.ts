import { isJsonObject } from '../../ground/model/json-object.ts'
import { deploymentPatch, gatePatch } from '../../ground/model/owned/difference.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { GuardObjectAction } from './action.ts'
import { takesNoPods } from './asks.ts'
import { type GroupNode, type GuardPass, isAway, isUnderWay } from './pass.ts'
import type { GuardedNode, Guarding, GuardView } from './snapshot.ts'
import { wantedDeployment, wantedGate } from './wanted-guard.ts'

/** At most so many guards of mode PerNode are replaced at a time. */
const REPLACED_AT_ONCE = 20

/**
 * Creates, corrects and deletes the objects of a guard, whatever is granted. A budget is created before the pods that it protects, and
 * deleted after them.
 *
 * Law: no guard pod is made before the budget over it.
 */
export function upkeep(pass: GuardPass, view: GuardView): readonly GuardObjectAction[] {
  if (view.isRefused === true) return []
  const ofObjects = view.fleet === undefined ? perNode(view) : ofFleet(pass, view, view.fleet)
  return [...ofObjects, ...surplus(view), ...view.nodes.flatMap((n) => needless(view, n))]
}

/** Unlocks deleted guards that are not needed: the node is gone, is to have no guard, or has another one. */
function needless(view: GuardView, { node, isWanted, pods }: GuardedNode): readonly GuardObjectAction[] {
  const locked = pods.filter(({ deleting, isLocked }) => deleting && isLocked)
  if (locked.length === 0) return []
  const isNeeded = node !== undefined && isWanted && !pods.some(({ deleting, isReady }) => !deleting && isReady)
  return isNeeded ? [] : locked.map((pod) => ({ kind: 'unlockPod', view, pod }))
}

/** Deployments first, since a budget stays as long as its pods. What is being deleted already may stay for a finalizer of others. */
function surplus(view: GuardView): readonly GuardObjectAction[] {
  const { deployments, gates } = view.surplus
  if (deployments.length === 0) return gates.filter(isThere).map((gate) => ({ kind: 'deleteGate', view, gate }))
  return deployments.filter(isThere).map((deployment) => ({ kind: 'deleteDeployment', view, deployment }))
}

const isThere = ({ deleting }: OwnedObject): boolean => !deleting

const KEPT: Size = { replicas: 1, unplaceable: 0, isPaused: false, pods: 'keep' }
const REPLACED: Size = { ...KEPT, pods: 'replace' }

function perNode(view: GuardView): readonly GuardObjectAction[] {
  const isMoving = ({ own }: GuardedNode): boolean => own?.deployment !== undefined && !isStill(own.deployment)
  let room = REPLACED_AT_ONCE - view.nodes.filter(isMoving).length
  return view.nodes.flatMap((n): readonly GuardObjectAction[] => {
    if (n.own === undefined) return []
    if (!n.isWanted) return removal(view, [n], n.own)
    const missing = missingOf(view, n.own, 1)
    if (missing !== undefined) return [missing]
    // One that moves has its place already: a wrong template may be why it does not come to an end.
    const size = (room > 0 || isMoving(n)) && !view.isTargetGone ? REPLACED : KEPT
    const aligned = alignment(view, n.own, size)
    if (aligned !== undefined && size === REPLACED && !isMoving(n)) room -= 1
    return aligned === undefined ? [] : [aligned]
  })
}

/** The pods end with the Deployment. The budget stays until they are gone. */
function removal(
  view: GuardView,
  nodes: readonly GuardedNode[],
  { deployment, gate }: Guarding,
): readonly GuardObjectAction[] {
  if (deployment !== undefined) return deployment.deleting ? [] : [{ kind: 'deleteDeployment', view, deployment }]
  if (gate === undefined || gate.object.deleting || nodes.some(({ pods }) => pods.length > 0)) return []
  return [{ kind: 'deleteGate', view, gate: gate.object }]
}

function missingOf(view: GuardView, { wanted, deployment, gate }: Guarding, replicas: number) {
  if (gate === undefined) return { kind: 'createGate', view, wanted } as const
  return deployment === undefined ? ({ kind: 'createDeployment', view, wanted, replicas } as const) : undefined
}

interface Size {
  readonly replicas: number
  /** How many of the replicas have no node. */
  readonly unplaceable: number
  readonly isPaused: boolean
  readonly pods: 'keep' | 'replace'
}

/** What is as wanted. A guarding is replaced when something of it changes, so nothing is compared again for thousands of nodes. */
const ALIGNED = new WeakMap<Guarding, Size>()

function alignment(view: GuardView, guarding: Guarding, size: Size): GuardObjectAction | undefined {
  const last = ALIGNED.get(guarding)
  if (last !== undefined && isSameSize(last, size)) return undefined
  const action = misalignment(view, guarding, size)
  if (action === undefined) ALIGNED.set(guarding, size)
  return action
}

const isSameSize = (one: Size, other: Size): boolean =>
  one.replicas === other.replicas &&
  one.unplaceable === other.unplaceable &&
  one.isPaused === other.isPaused &&
  one.pods === other.pods

function misalignment(
  view: GuardView,
  { wanted, deployment, gate }: Guarding,
  size: Size,
): GuardObjectAction | undefined {
  if (gate !== undefined && !gate.isOpen && gatePatch(gate.object, wantedGate(view.guard, wanted, false)) !== undefined)
    return { kind: 'closeGate', view, wanted, gate, node: wanted.node ?? '' }
  if (deployment === undefined || deployment.deleting) return undefined
  const patch = deploymentPatch(deployment, wantedDeployment(view.guard, wanted, size), size.pods)
  return patch === undefined ? undefined : { kind: 'alignDeployment', view, wanted, deployment, ...size }
}

/** Mode Budget: one Deployment with a replica for each node. */
function ofFleet(pass: GuardPass, view: GuardView, fleet: Guarding): readonly GuardObjectAction[] {
  const { wanted, deployment, gate } = fleet
  if (view.isTargetGone && view.guard.spec.onTargetGone === 'Remove') return removal(view, view.nodes, fleet)
  const replicas = replicasOf(view)
  const missing = missingOf(view, fleet, replicas)
  if (missing !== undefined) return [missing]
  if (gate?.isOpen === true) return [{ kind: 'closeGate', view, wanted, gate, node: '' }]
  if (deployment === undefined || view.isTargetGone) return []
  const isMoving = !isStill(deployment)
  // A pod that has to go is deleted first: to shrink the Deployment would end any of them.
  const leaving = view.nodes.filter(({ isWanted }) => !isWanted).flatMap(({ pods }) => pods)
  const pod = leaving.find(({ deleting }) => !deleting)
  if (pod !== undefined && !isMoving) return [{ kind: 'deletePod', view, pod }]
  const placed = view.nodes.flatMap(({ pods }) => pods).filter(({ deleting }) => !deleting).length
  const kept = placed > replicas || !isRolledOut(deployment) ? Math.max(replicas, deployment.replicas) : replicas
  // Replicas that have no node are Pending for ever, and would use up what the rollout may have missing.
  const unplaceable = Math.max(0, kept - replicas - leaving.length)
  const aligned = alignment(view, fleet, {
    replicas: kept,
    unplaceable,
    isPaused: pass.nodes.some((x) => x.asks !== undefined) && (isMoving || isSaidPaused(deployment)),
    pods: mayReplace(pass, view, pod === undefined) ? 'replace' : 'keep',
  })
  return aligned === undefined ? [] : [aligned]
}

/**
 * Whether the pods of the Deployment may be replaced. A node that lacks only a guard of this Deployment does not prevent it: the Deployment
 * counts that guard as unavailable and removes no other until it is ready, and a wrong template may be the cause. This does not hold while
 * a pod is on a node that is to have none, since that pod would count in its place.
 */
function mayReplace({ nodes }: GuardPass, view: GuardView, isInPlace: boolean): boolean {
  const isInTheWay = ({ wanted }: GroupNode): boolean =>
    wanted.some((member) => !member.isReady && (member.view !== view || !isInPlace))
  return !nodes.some((x) => x.asks !== undefined || isUnderWay(x) || (isAway(x) && isInTheWay(x)))
}

/** Drained nodes do not count. A pod that waits for one would make an autoscaler add a node. */
function replicasOf({ guard, nodes }: GuardView): number {
  const wanted = nodes.filter(({ isWanted }) => isWanted)
  if (guard.spec.pendingReplacement === 'KeepPending') return wanted.length
  const isDrained = ({ node, pods }: GuardedNode): boolean =>
    node !== undefined && takesNoPods(node) && pods.every(({ deleting }) => deleting)
  return wanted.filter((n) => !isDrained(n)).length
}

/** The Deployment replaces no pod now. */
export const isStill = (deployment: FoundDeployment): boolean =>
  isRolledOut(deployment) || (deployment.isObserved && isSaidPaused(deployment))

/** All pods have one template. With two templates, a Deployment that shrinks removes pods of both, and might end a guard that is needed. */
const isRolledOut = ({ isObserved, updated, replicas }: FoundDeployment): boolean => isObserved && updated >= replicas

const isSaidPaused = ({ content: { spec } }: FoundDeployment): boolean => isJsonObject(spec) && spec.paused === true
