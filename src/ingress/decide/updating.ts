import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { INGRESS_NODE_LABEL } from '../../ground/model/ingress-keys.ts'
import { nodeLabel } from '../../ground/model/owned/node-names.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { kubectl, type Sentence, say } from '../../ground/model/sentence.ts'
import type { Admission } from './admission.ts'
import { mayApply, slotFor } from './apply-template.ts'
import { askDetach } from './ask-detach.ts'
import { newId } from './begin.ts'
import { detachWaits } from './detached.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import { type IngressOp, toDetach } from './op.ts'
import { isSettled, type NodeView, neverServed, type Pass } from './pass.ts'
import { actionKey } from './refusals.ts'
import { rejectionOf } from './rejection.ts'
import { isFirstToLeave, mayMove } from './rollout-rules.ts'
import type { IngressDeployment } from './snapshot.ts'
import { makeAll, makeOnceMore, rejectsAll, tryAgain, untilNextTry } from './try-again.ts'

interface UnderWay {
  readonly op: IngressOp
  readonly deployment: IngressDeployment
  readonly admission: Admission | undefined
}

/**
 * Replaces the pods. No pod is touched before the detach is over, and once pods change, the node comes back only when all pods are ready.
 *
 * Law: the template of a node that serves is not changed before the node is detached, unless its object updates in place.
 */
export function updating(pass: Pass, n: NodeView, { op, deployment, admission }: UnderWay): NodeAnswer {
  const newer = supersede(pass, n, { op, admission })
  if (newer !== undefined) return newer
  if (deployment.revision !== op.revision) return mayApply(pass, n, { op, admission })
  const asked = askedAgain(pass, n, op)
  if (asked !== undefined) return asked
  const again = retry(pass, n, { op, deployment })
  if (again !== undefined) return again
  const { podsPerNode } = pass.s.object.spec
  const rejection = rejectionOf(deployment)
  const made = tryAgain(pass, n, deployment)
  if (made !== undefined) return made
  if (rejection !== undefined && rejection.triedAt === undefined) return untilNextTry(pass, n, rejection)
  if (deployment.replicas !== podsPerNode && !rejectsAll(n, deployment)) return makeAll(pass, n, deployment)
  if (!isSettled(pass, n)) return wait([notReady(pass, n, deployment)], deadline(pass, op))
  const text = `the pods of ${n.name} are all of revision ${op.revision}, and ready`
  return act(n, { kind: 'writeOp', op: { ...op, phase: 'Verifying' } }, { code: 'NodeUpdated', text })
}

/** Waits until the pods have been ready as long as the object asks. */
export function verifying(pass: Pass, n: NodeView, { op, deployment, admission }: UnderWay): NodeAnswer {
  const newer = supersede(pass, n, { op, admission })
  if (newer !== undefined) return newer
  if (deployment.revision !== op.revision)
    return act(n, { kind: 'writeOp', op: { ...op, phase: 'Updating' } }, revisionOfOthers(n))
  if (!isSettled(pass, n) || n.node?.ready !== 'True') return updatingAgain(pass, n, { op, deployment, admission })
  const asked = askedAgain(pass, n, op)
  if (asked !== undefined) return asked
  if (deployment.available < pass.s.object.spec.podsPerNode)
    return wait([notReady(pass, n, deployment)], deadline(pass, op))
  const text = `the pods of ${n.name} have been ready for long enough`
  return act(n, { kind: 'writeOp', op: { ...op, phase: 'Attaching' } }, { code: 'NodeVerified', text })
}

/**
 * Sets missing signs again while pods change. If all pods are ready and a write is refused, as after a rollback of a node that was never
 * claimed, there is no reason to be out any more. A node whose first pods start has its mark from the beginning, and no claim.
 */
function askedAgain(pass: Pass, n: NodeView, op: IngressOp): NodeAnswer | undefined {
  if (op.inPlace === true || op.isNew === true) return undefined
  const asked = askDetach(pass, n, op)
  const isRefused = asked?.kind === 'act' && pass.s.refusals?.has(actionKey(asked.action)) === true
  return isRefused && isSettled(pass, n) ? undefined : asked
}

/** A node that is not Ready may show pods as ready from before. */
const updatingAgain = (pass: Pass, n: NodeView, { op, deployment, admission }: UnderWay): NodeAnswer =>
  isSettled(pass, n)
    ? wait([{ code: 'NodeNotReady', object: n.name, text: `${n.name} is not Ready` }], deadline(pass, op))
    : updating(pass, n, { op: { ...op, phase: 'Updating' }, deployment, admission })

const revisionOfOthers = (n: NodeView) =>
  ({ code: 'NodeBegun', text: `the Deployment of ${n.name} has another revision than it was given` }) as const

/**
 * A newer revision is wanted meanwhile. A node that is out gets it at once; one that keeps the previous revision waits for its turn. A node
 * may still be in service if others do not want it out any more.
 */
function supersede(pass: Pass, n: NodeView, { op, admission }: Omit<UnderWay, 'deployment'>): NodeAnswer | undefined {
  if (op.revision === pass.target || !mayMove(pass, n, op.revision)) return undefined
  // The node is not out for an update, so once it is as it was, it waits for its turn.
  const isAsItWas = n.deployment?.revision === op.revision && isSettled(pass, n)
  if (op.inPlace === true && n.slot.kind === 'none' && isAsItWas) return undefined
  const slot = isFirstToLeave(pass, n) ? slotFor(n, admission) : undefined
  if (slot !== undefined) return slot
  const to = { ...op, revision: pass.target }
  const newer: IngressOp = isOut(pass, n, op) ? { ...to, phase: 'Updating', t2: pass.s.now } : toDetach(to, pass.s.now)
  const text = `revision ${pass.target} is wanted by now, so ${n.name} goes on to that one`
  return act(n, { kind: 'writeOp', op: newer }, { code: 'RevisionSuperseded', text })
}

const isOut = ({ s }: Pass, n: NodeView, op: IngressOp): boolean =>
  op.inPlace === true || neverServed(n) || (op.t1 !== undefined && detachWaits(s, n, { ...op, t1: op.t1 }).length === 0)

/** A person asks for another try: rejected pods are created again, and the deadline begins anew. */
function retry(pass: Pass, n: NodeView, { op, deployment }: Omit<UnderWay, 'admission'>): NodeAnswer | undefined {
  if (n.request?.kind !== 'retry' || n.request.of !== op.id) return undefined
  const rejection = rejectionOf(deployment)
  if (rejection !== undefined && rejection.triedAt === undefined)
    return makeOnceMore(n, pass.s.object.spec.podsPerNode, { ...rejection, triedAt: pass.s.now })
  const again: IngressOp = { ...op, id: newId(pass, n), t2: pass.s.now }
  return act(n, { kind: 'writeOp', op: again }, { code: 'RetryAsked', text: `${n.name} is to be tried again` })
}

const deadline = ({ s }: Pass, { t0, t2 = t0 }: IngressOp): number | undefined => {
  const at = t2 + s.object.spec.rollout.progressDeadlineMs
  return at > s.now ? at : undefined
}

function notReady(pass: Pass, n: NodeView, deployment: IngressDeployment): Reason {
  const { ready, updated, available, oldPods } = deployment
  const { podsPerNode } = pass.s.object.spec
  const old = oldPods === 0 ? '' : `, ${oldPods} old ones are still there`
  const text = `pods on ${n.name}: ${podsPerNode} wanted, ${updated} new, ${ready} ready, ${available} available${old}`
  const isTried = (rejectionOf(deployment)?.count ?? 0) > 0
  if (n.state !== 'Stuck' || isTried) return { code: 'PodsNotReady', object: n.name, text }
  return {
    code: 'ProgressDeadlineExceeded',
    object: n.name,
    text,
    next: say`${whatWaits(pass, n, deployment)}; then retry or skip the node`,
  }
}

const WAITING_CHARACTERS = 200

function whatWaits({ s: { object } }: Pass, { name }: NodeView, { waiting }: IngressDeployment): Sentence {
  if (waiting !== undefined)
    return `mend what keeps a pod from its start (${escapeForeign(waiting, WAITING_CHARACTERS)})`
  const selector = `${INGRESS_NODE_LABEL}=${nodeLabel(name)}`
  return say`${kubectl`-n ${object.namespace} describe pods -l ${selector}`} says what its pods wait for`
}
