import type { Admission } from './admission.ts'
import { slotFor } from './apply-template.ts'
import { attachGrace, graceOfLost, graceWithoutDeployment, noteWithdrawn, withdraw } from './attaching.ts'
import { begin, giveBack, newOp, opOfOut } from './begin.ts'
import { detaching } from './detaching.ts'
import { healthInForce } from './in-force.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import { type IngressOp, isInPlace, toDetach } from './op.ts'
import { type NodeView, neverServed, type Pass } from './pass.ts'
import { firstHolds } from './rollout-rules.ts'
import { eligibilityAt } from './snapshot.ts'

/** The node is to have no pods any more: it is detached first, and only then its pods go. */
export function leaving(pass: Pass, n: NodeView, admission: Admission | undefined): NodeAnswer {
  const { op } = n
  if (op === undefined) return begin(pass, n, admission)
  if (neverServed(n)) return deleteDeployment(n)
  const slot = slotFor(n, admission)
  if (slot !== undefined) return slot
  if (op.phase !== 'Detaching')
    return act(
      n,
      { kind: 'writeOp', op: toDetach(op, pass.s.now) },
      { code: 'NodeBegun', text: `${n.name} needs no pods any more` },
    )
  // `bounded`, if the node is out or goes anyway; otherwise its load balancers may still send to it.
  const timeout = n.isGoing || n.node?.ready !== 'True' ? 'bounded' : 'patient'
  const detached = detaching(pass, n, { op, timeout })
  return detached.kind === 'detached' ? deleteDeployment(n) : detached.answer
}

const deleteDeployment = (n: NodeView): NodeAnswer =>
  act(n, { kind: 'deleteDeployment' }, { code: 'PodsUnwanted', text: `${n.name} needs no pods any more` })

/** Its pods go, or a finalizer of others keeps it and them. Nothing is asked of it any more, and what keeps the node out stays. */
export function beingDeleted(n: NodeView): NodeAnswer {
  const text = `the Deployment of ${n.name} is being deleted, and ${n.pods} pods are still on ${n.name}`
  const next = 'where it stays, see which finalizer it has and who is to remove that'
  return wait([{ code: 'PodsLeft', object: n.name, text, next }])
}

/**
 * The Node was registered anew, and the pods of before go on to be ready there: its load balancers may send to them. So they stay, and the
 * node is one like any other.
 */
export function keptPods({ s }: Pass, n: NodeView): NodeAnswer | undefined {
  const { node, deployment, op } = n
  if (node === undefined || deployment === undefined || op !== undefined) return undefined
  if (deployment.ready < healthInForce(s.object, deployment).minReadyPods) return undefined
  const text = `${n.name} was registered anew, and its pods are still ready`
  return act(n, { kind: 'noteNode', uid: node.uid }, { code: 'NodeNew', text })
}

/** The Node is gone, or another one has its name, so there is nothing to wait for. */
export const gone = (n: NodeView): NodeAnswer =>
  n.deployment === undefined ? giveBack(n, 'it is gone') : deleteDeployment(n)

/** The next step without a Deployment: one is created if the node is to have pods, otherwise the rest on the node is removed. */
export function withoutDeployment(pass: Pass, n: NodeView): NodeAnswer {
  if (n.eligibility === 'Run' && !n.isGoing) {
    // The slot is of an earlier Node of this name. A node that is still claimed is out, and keeps its slot until it is back.
    if (n.slot.kind === 'ours' && !n.isAsked)
      return graceWithoutDeployment(pass, n) ?? giveBack(n, 'nothing keeps it out any more')
    return firstPods(pass, n)
  }
  if (n.pods > 0) return wait([{ code: 'PodsLeft', object: n.name, text: `${n.pods} pods are still on ${n.name}` }])
  const why = 'no pod is left there'
  return withdraw(pass, n, why) ?? graceWithoutDeployment(pass, n) ?? giveBack(n, why)
}

/** The wanted revision, or the last good one as long as the node may not go to that; none where that one has no pods on the node. */
function firstPods(pass: Pass, n: NodeView): NodeAnswer {
  const holds = firstHolds(pass, n)
  const revision = holds.length === 0 ? pass.target : (pass.s.revisions.current ?? pass.target)
  return eligibilityAt(n, revision) === 'Run' ? create(pass, n, revision) : wait(holds)
}

/**
 * Creates the Deployment. If this object has the node out, the Deployment was lost: the node stays out by the same claim, which its agent
 * knows. Otherwise these are its first pods.
 */
function create(pass: Pass, n: NodeView, revision: string): NodeAnswer {
  const { object, now } = pass.s
  const to = { revision, phase: 'Updating' } as const
  const op: IngressOp = n.isAsked ? opOfOut(pass, n, to) : { ...newOp(pass, n, to), t2: now, isNew: true }
  return act(
    n,
    { kind: 'createDeployment', revision: to.revision, op, mark: object.spec.detach.deployment },
    n.isAsked
      ? { code: 'NodeNew', text: `the Deployment of ${n.name} is gone while the node is out, and is made again` }
      : { code: 'NodeNew', text: `${n.name} needs pods` },
  )
}

/**
 * Puts a node back because the object is being deleted. The slot is kept until the load balancers send to the node again, since others use
 * the same budget. The agent is not waited for.
 *
 * Law: nothing of an IngressDaemonSet is left on a Node once the object is gone.
 */
export function putBack(pass: Pass, n: NodeView): NodeAnswer {
  const why = 'its IngressDaemonSet is being deleted'
  if (n.node === undefined) return giveBack(n, why)
  const reason = { code: 'NodeAttached', text: `${n.name}: ${why}` } as const
  if (n.overDetached !== undefined)
    return act(n, { kind: 'writeOp', op: newOp(pass, n, { revision: pass.target, phase: 'Attaching' }) }, reason)
  const back = withdraw(pass, n, why)
  if (back !== undefined) return back
  const { op, deployment } = n
  if (op === undefined)
    return (deployment === undefined ? graceWithoutDeployment(pass, n) : graceOfLost(pass, n)) ?? giveBack(n, why)
  // A new or in-place node was never claimed.
  const wasIn = op.isNew === true || isInPlace(op)
  const grace = wasIn ? undefined : (noteWithdrawn(pass, n, op) ?? attachGrace(pass, n, op.t3 ?? pass.s.now))
  return grace ?? act(n, { kind: 'clearOp' }, reason)
}
