import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { type DetachWait, detachWaits } from './detached.ts'
import { isClaimedForMaintenance } from './marks.ts'
import { type IngressOp, isFirst, isInPlace } from './op.ts'
import { placeHolds } from './place-holds.ts'
import { actionKey } from './refusals.ts'
import { rejectionOf } from './rejection.ts'
import { GAVE_UP_ANNOTATION, type IngressDeployment, type IngressNode, type IngressSnapshot } from './snapshot.ts'

export type NodeState =
  | 'Absent'
  | 'Creating'
  | 'InService'
  | 'Degraded'
  | 'Queued'
  | 'Detaching'
  | 'Updating'
  | 'Verifying'
  | 'Attaching'
  | 'Stuck'
  | 'Maintenance'
  | 'Leaving'

/** The revision that nodes are to have: the one before, after a rollback. */
export function targetRevision({ revisions }: Pick<IngressSnapshot, 'revisions'>): string {
  const { desired, current, rejected } = revisions
  const isRejected = rejected?.revision === desired && !rejected.isLifted
  return isRejected && current !== undefined ? current : desired
}

/** The state of a node, from what is true of it now. `op`: also undefined if the operation cannot be read. */
export function nodeState(s: IngressSnapshot, n: IngressNode, op: IngressOp | undefined): NodeState {
  const { deployment } = n
  if (deployment === undefined) return n.eligibility === 'Run' && n.node !== undefined ? 'Creating' : 'Absent'
  if (n.node === undefined || n.eligibility === 'Leave' || s.object.deleting) return 'Leaving'
  if (isInMaintenance(s.object, n)) return 'Maintenance'
  if (isStuck(s, n, op)) return 'Stuck'
  if (op !== undefined) return isFirst(op) ? 'Creating' : op.phase
  if (lacksPods(s, n)) return 'Degraded'
  return deployment.revision === targetRevision(s) ? 'InService' : 'Queued'
}

/** Not all of its pods are ready, whether enough of them are or not. */
export const lacksPods = ({ object }: IngressSnapshot, { deployment }: IngressNode): boolean =>
  deployment !== undefined && deployment.ready < object.spec.podsPerNode

/** The node does not go on by itself. At a revision that is not wanted any more, a node is not stuck, since the next revision may run. */
function isStuck(s: IngressSnapshot, n: IngressNode, op: IngressOp | undefined): boolean {
  const target = targetRevision(s)
  if (n.deployment?.revision === target && isRejected(s, n.deployment)) return true
  if (op === undefined) return isGivenUp(s, n)
  if (op.phase === 'Attaching') return isReturnOverdue(s, n, op)
  if (op.revision !== target) return false
  if (op.phase === 'Detaching') return isAskRefused(s, n, op) || isHeldByTimeout(s, n, op) || isUnplaced(s, n, op)
  return isChanging(op) && isLate(s, op)
}

/** Its detach for the wanted revision was given up, and no person has asked for another try. It is in service, and keeps its old pods. */
export function isGivenUp(s: IngressSnapshot, { deployment, request }: IngressNode): boolean {
  const target = targetRevision(s)
  if (deployment?.annotations[GAVE_UP_ANNOTATION] !== target || deployment.revision === target) return false
  return request?.kind !== 'retry' || request.of !== target
}

/** The node is detached, and for longer than its pods may take to change no new one can be placed there. */
const isUnplaced = (s: IngressSnapshot, n: IngressNode, { t1, ...op }: IngressOp): boolean =>
  t1 !== undefined &&
  s.now - t1 > s.object.spec.rollout.progressDeadlineMs &&
  placeHolds(n, op).length > 0 &&
  detachWaits(s, n, { ...op, t1 }).length === 0

/** The pods were rejected too often. This also holds while they are tried again, since the rollout would go on in that time otherwise. */
function isRejected({ object }: IngressSnapshot, deployment: IngressDeployment): boolean {
  const rejection = rejectionOf(deployment)
  if (rejection === undefined || rejection.count === 0) return false
  return rejection.triedAt === undefined || deployment.ready < object.spec.podsPerNode
}

const isChanging = ({ phase }: IngressOp): boolean => phase === 'Updating' || phase === 'Verifying'

const isLate = ({ object, now }: IngressSnapshot, { t0, t2 = t0 }: IngressOp): boolean =>
  now - t2 > object.spec.rollout.progressDeadlineMs

/**
 * The node is on its way back, and its agent has not answered well since. A node that was never claimed waits for nothing.
 *
 * Law: a node on its way back is in service for an IngressDaemonSet only once its agent has answered, however late that is.
 */
export const awaitsAgent = (n: IngressNode, op: IngressOp): boolean =>
  op.phase === 'Attaching' &&
  n.agent !== undefined &&
  op.isNew !== true &&
  !isInPlace(op) &&
  n.agent.released?.id !== op.id

/** Until when the agent of a node on its way back may be silent. Undefined: it is not on its way back yet. */
export function returnDeadline({ object }: IngressSnapshot, { t3 }: IngressOp): number | undefined {
  const { attachGraceMs, timeoutMs } = object.spec.detach
  return t3 === undefined ? undefined : t3 + attachGraceMs + timeoutMs
}

export const isReturnOverdue = (s: IngressSnapshot, n: IngressNode, op: IngressOp): boolean =>
  awaitsAgent(n, op) && s.now >= (returnDeadline(s, op) ?? Number.POSITIVE_INFINITY)

/** The acknowledgements that are still missing after the limit; undefined: the limit is not over, or none is missing. */
export function overdue(s: IngressSnapshot, n: IngressNode, op: IngressOp): readonly DetachWait[] | undefined {
  if (op.t1 === undefined || s.now - Math.max(op.t0, op.t1) < s.object.spec.detach.timeoutMs) return undefined
  const missing = detachWaits(s, n, { ...op, t1: op.t1 }).filter(({ until }) => until === undefined)
  return missing.length === 0 ? undefined : missing
}

const ASKING = ['writeOp', 'claim', 'markNode']

/**
 * A write of the detach is refused, and the limit of the detach is over. The limit runs from the operation's beginning or from when all
 * signs were set, and also from the first refusal: a controller that was away has not asked yet, and a webhook may be away for a moment.
 */
export function isAskRefused(
  { refusals, now, object }: IngressSnapshot,
  { name }: IngressNode,
  op: IngressOp,
): boolean {
  const isOver = (since: number): boolean => now - since >= object.spec.detach.timeoutMs
  if (refusals === undefined || !isOver(Math.max(op.t0, op.t1 ?? op.t0))) return false
  return ASKING.some((kind) => {
    const refusal = refusals.get(actionKey({ kind, node: name }))
    return refusal !== undefined && isOver(refusal.since)
  })
}

const isHeldByTimeout = (s: IngressSnapshot, n: IngressNode, op: IngressOp): boolean =>
  s.object.spec.detach.onTimeout === 'Pause' && overdue(s, n, op) !== undefined

/**
 * Others work on the node, and the pods are to make room. A cordon ends last in a maintenance, so it tells when the pods may come back. A
 * claim alone takes the node out, but asks nothing of the pods. With a claim, a cordon counts even if cordons are ignored; otherwise the
 * drain of the claim's owner would wait for the gate for ever.
 */
function isInMaintenance({ spec }: IngressDaemonSet, n: IngressNode): boolean {
  const { node } = n
  if (node === undefined || n.isGoing) return false
  const isAnnounced = node.unschedulable || (node.lifecycle ?? []).length > 0
  return isAnnounced && (spec.onCordon !== 'Ignore' || isClaimedForMaintenance(n))
}
