import type { Reason } from '../../ground/model/reason.ts'
import { type Admission, isAboutToLeave } from './admission.ts'
import { slotFor } from './apply-template.ts'
import { attaching, claimAgain, graceOfLost, verifyAgain } from './attaching.ts'
import { begin, giveBack, newOp, opOfOut } from './begin.ts'
import { detaching } from './detaching.ts'
import { beingDeleted, gone, keptPods, leaving, putBack, withoutDeployment } from './leaving.ts'
import { maintain } from './maintain.ts'
import { ownClaim } from './marks.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import { type IngressOp, isFirst } from './op.ts'
import type { NodeView, Pass } from './pass.ts'
import { placeHolds } from './place-holds.ts'
import { rejectionOf } from './rejection.ts'
import { isFirstToLeave, mayMove } from './rollout-rules.ts'
import { setGate } from './set-gate.ts'
import { isHeldIdle } from './slots.ts'
import type { IngressDeployment } from './snapshot.ts'
import { stopRejected, untilNextTry } from './try-again.ts'
import { updating, verifying } from './updating.ts'
import { podsFirst, upkeep } from './upkeep.ts'

/**
 * What is next for one node: one write at most, so that a process that dies leaves nothing that the next one cannot tell.
 * The order of intent before effect: the slot, the operation with the mark of its Deployment, the claim, the mark of the
 * Node, the template; and back: the mark of the Node, that of the Deployment, the claim, the operation, the slot.
 */
export function decideNode(pass: Pass, n: NodeView, admission: Admission | undefined): NodeAnswer {
  const { deployment, op } = n
  if (pass.s.object.deleting) return putBack(pass, n)
  if (deployment?.isBeingDeleted === true) return beingDeleted(n)
  if (n.node === undefined) return gone(n)
  if (deployment?.isOfEarlierNode === true) return keptPods(pass, n) ?? gone(n)
  if (deployment === undefined) return withoutDeployment(pass, n)
  if (n.overDetached !== undefined) return takeStock(pass, n, { deployment, why: n.overDetached })
  if (n.state === 'Leaving') return leaving(pass, n, admission)
  const stopped = stopRejected(pass, n, deployment)
  if (stopped !== undefined) return stopped
  if (op !== undefined) return underWay(pass, n, { op, deployment, admission })
  const due = upkeep(pass, n, deployment)
  if (due !== undefined) return idleSlotBack(pass, n) ?? due
  return admission === undefined ? atRest(pass, n, deployment) : begin(pass, n, admission)
}

/** Releases an unused slot. The writes that come before it may be refused each time. */
function idleSlotBack(pass: Pass, n: NodeView): NodeAnswer | undefined {
  if (!isHeldIdle(pass, n) || graceOfLost(pass, n) !== undefined) return undefined
  return giveBack(n, 'what it needs first is not done yet')
}

function atRest(pass: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer {
  const grace = graceOfLost(pass, n)
  if (grace !== undefined) return grace
  const answer = giveBack(n, 'it is as it should be')
  if (answer.kind === 'rest' && n.failsChecks && n.closedPort !== undefined) return wait([checkFails(n, n.closedPort)])
  const rejection = rejectionOf(deployment)
  if (answer.kind !== 'rest' || rejection === undefined || rejection.triedAt !== undefined) return answer
  return untilNextTry(pass, n, rejection)
}

const checkFails = ({ name }: NodeView, { port }: { readonly port: number }): Reason => ({
  code: 'HealthCheckFails',
  object: name,
  text: `the pods of ${name} are ready, and a health check of ${name} at port ${port} fails`,
  next: `its agent says at /healthz why: by its reasons, or under trouble why port ${port} is not open; or see which program of ${name} holds it, and write another port into spec.healthCheckNodePorts`,
})

interface UnderWay {
  readonly op: IngressOp
  readonly deployment: IngressDeployment
  readonly admission: Admission | undefined
}

function underWay(pass: Pass, n: NodeView, way: UnderWay): NodeAnswer {
  if (n.state === 'Maintenance') return maintain(pass, n, way)
  const closed = setGate(pass, n, false)
  if (closed !== undefined) return closed
  const { op, deployment } = way
  // The slot was taken because the node was to leave before it served.
  const isUnneeded = isFirst(op) && !isFirstToLeave(pass, n) && ownClaim(pass.s.object, n) === undefined
  if (isUnneeded && n.slot.kind === 'ours') return giveBack(n, 'it is not to leave any more')
  if (op.phase === 'Detaching') return goingOut(pass, n, way)
  if (op.phase === 'Updating') return updating(pass, n, way)
  if (op.phase === 'Verifying') return verifying(pass, n, way)
  // The agent gives no good answer without these pods.
  return (
    podsMissing(pass, n, deployment) ?? verifyAgain(pass, n, op) ?? claimAgain(pass, n, op) ?? attaching(pass, n, op)
  )
}

function podsMissing(pass: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  const isMissing = deployment.replicas < pass.s.object.spec.podsPerNode
  return isMissing ? podsFirst(pass, n, deployment) : undefined
}

function goingOut(pass: Pass, n: NodeView, { op, deployment, admission }: UnderWay): NodeAnswer {
  const slot = slotFor(n, admission)
  if (slot !== undefined) return slot
  if (isAboutToLeave(pass, n) && admission?.may === false) return calledBack(n, op, admission.reasons)
  if (op.revision !== pass.target && op.revision !== deployment.revision && mayMove(pass, n, op.revision))
    return act(
      n,
      { kind: 'writeOp', op: { ...op, revision: pass.target } },
      { code: 'RevisionSuperseded', text: `revision ${pass.target} is wanted by now` },
    )
  const toUpdate: IngressOp = { ...op, phase: 'Updating', t2: pass.s.now }
  // Another revision is wanted meanwhile, or the maintenance is over, or the template was written before the phase.
  if (deployment.revision === op.revision)
    return act(
      n,
      { kind: 'writeOp', op: toUpdate },
      { code: 'NodeDetached', text: `the Deployment of ${n.name} has the revision that it is to have` },
    )
  if (n.request?.kind === 'retry' && n.request.of === op.id && n.state === 'Stuck')
    return act(
      n,
      {
        kind: 'writeOp',
        op: newOp(pass, n, { revision: op.revision, phase: 'Detaching' }),
        mark: pass.s.object.spec.detach.deployment,
      },
      { code: 'RetryAsked', text: `${n.name} is to be tried again` },
    )
  const detached = detaching(pass, n, { op, timeout: 'as said' })
  if (detached.kind === 'not yet') return detached.answer
  const held = placeHolds(n, op)
  if (held.length > 0) return wait(held)
  return act(n, { kind: 'writeOp', op: toUpdate }, { code: 'NodeDetached', text: `${n.name} is detached` })
}

/** The node goes back before it was asked to leave. */
const calledBack = (n: NodeView, op: IngressOp, [why]: readonly Reason[]): NodeAnswer =>
  act(
    n,
    { kind: 'writeOp', op: { ...op, phase: 'Attaching' } },
    { code: 'NodeCalledBack', text: `${n.name} does not leave now: ${why?.text ?? 'there is no room'}` },
  )

/**
 * The operation is missing or unreadable. The node is treated as detached by us: its pods are verified as they are, and then all signs are
 * removed. Others may have removed the mark of the Deployment as well, and it may have been set again a moment ago, so if the node is to
 * leave after all, its grace begins now.
 */
function takeStock(
  pass: Pass,
  n: NodeView,
  { deployment, why }: { readonly deployment: IngressDeployment; readonly why: string },
): NodeAnswer {
  const op: IngressOp = { ...opOfOut(pass, n, { revision: deployment.revision, phase: 'Verifying' }), inPlace: true }
  const text = `the operation on ${n.name} cannot be read: ${why}. The controller verifies the pods of ${n.name} as they are, and puts ${n.name} back`
  return act(n, { kind: 'writeOp', op }, { code: 'OperationUnreadable', text })
}
