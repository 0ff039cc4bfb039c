import { formatDuration } from '../../ground/model/duration.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { SKEW_MS } from './detached.ts'
import { claimFor, heldKeys, ingressOwner, isLastHolder, ownClaim, ownMark, unreadableClaims } from './marks.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import { awaitsAgent, isReturnOverdue, lacksPods, returnDeadline } from './node-state.ts'
import { type IngressOp, isInPlace, toDetach } from './op.ts'
import type { NodeView, Pass } from './pass.ts'
import { mayMove } from './rollout-rules.ts'

/**
 * Removes the next sign of this object that asks for the detach, in the reverse order. Undefined: none is left.
 *
 * Law: an IngressDaemonSet withdraws its own claim and its own hold on a mark, and those of no other owner.
 */
export function withdraw({ s }: Pass, n: NodeView, why: string): NodeAnswer | undefined {
  const owner = ingressOwner(s.object)
  const reason = { code: 'MayReturn', text: `${n.name}: ${why}` } as const
  const [key] = heldKeys(s.object, n)
  if (key !== undefined)
    return act(n, { kind: 'unmarkNode', owner, key, removesKey: isLastHolder(s.object, n, key) }, reason)
  const mark = ownMark(s.object, n)
  if (mark !== undefined) return act(n, { kind: 'unmarkDeployment', key: mark.key }, reason)
  if (ownClaim(s.object, n) !== undefined) return act(n, { kind: 'withdrawClaim', owner }, reason)
  return undefined
}

/**
 * The node was to come back, and by now not all of its pods are ready, or its machine is not. As long as a sign of ours keeps it out, it is
 * verified again. The count of seen generations does not matter here, since each write on the Deployment changes it.
 */
export function verifyAgain({ s }: Pass, n: NodeView, op: IngressOp): NodeAnswer | undefined {
  const { deployment, node } = n
  // A node that is called back, or whose detach is given up, goes back with its pods as they are.
  if (!n.isAsked || op.t2 === undefined || deployment === undefined) return undefined
  const isAsVerified = deployment.revision === op.revision && deployment.oldPods === 0 && !lacksPods(s, n)
  if (isAsVerified && node?.ready === 'True') return undefined
  const text = `the pods of ${n.name} are no longer all ready, and it is still out`
  const again: IngressOp = { ...op, phase: 'Verifying', t2: s.now, unmarkedAt: s.now }
  return act(n, { kind: 'writeOp', op: again }, { code: 'PodsNotReady', text })
}

/**
 * The agent keeps a claim of this object from a Node before this one, so the node is out, though its first pods start. That ends once this
 * object claims the node again, its agent hears of it, and the claim is withdrawn.
 */
export function claimAgain({ s }: Pass, n: NodeView, op: IngressOp): NodeAnswer | undefined {
  const { object, now } = s
  if (n.agent?.keptFor?.includes(ingressOwner(object)) !== true || unreadableClaims(n) !== undefined) return undefined
  const text = `the agent of ${n.name} keeps the claim of ${object.name} from a Node before this one`
  const { isNew, ...known } = op
  if (isNew === true) return act(n, { kind: 'writeOp', op: { ...known, t3: now } }, { code: 'MarkMissing', text })
  if (ownClaim(object, n) === undefined)
    return act(n, { kind: 'claim', claim: claimFor(object, op, now) }, { code: 'MarkMissing', text })
  return wait([{ code: 'AgentNotHeard', object: n.name, text, next: 'look at its agent, which may not reach the API' }])
}

/** The way back: all signs are removed, then balancers get time to send again, and at last the operation is removed. */
export function attaching(pass: Pass, n: NodeView, op: IngressOp): NodeAnswer {
  const { now, object } = pass.s
  const back = withdraw(pass, n, op.gaveUp === true ? 'its detach is given up' : 'its pods are as they should be')
  if (back !== undefined) return back
  const withdrawn = isInPlace(op) ? undefined : noteWithdrawn(pass, n, op)
  if (withdrawn !== undefined) return withdrawn
  if (awaitsAgent(n, op)) return untilHeard(pass, n, op)
  const { attachGraceMs } = object.spec.detach
  const since = n.agent?.released?.id === op.id ? n.agent.released.since : 0
  const grace = attachGrace(pass, n, Math.max(op.t3 ?? now - attachGraceMs, since))
  if (grace !== undefined) return grace
  const gaveUp = op.gaveUp === true ? { gaveUp: op.revision } : {}
  return act(n, { kind: 'clearOp', ...gaveUp }, { code: 'NodeAttached', text: `${n.name} is attached again` })
}

/** Notes since when nothing of this object keeps the node out. Undefined: that is noted already. */
export function noteWithdrawn({ s: { now } }: Pass, n: NodeView, op: IngressOp): NodeAnswer | undefined {
  if (op.t3 !== undefined && op.t3 <= now + SKEW_MS) return undefined
  const text = `nothing of this object keeps ${n.name} out any more`
  return act(n, { kind: 'writeOp', op: { ...op, phase: 'Attaching', t3: now } }, { code: 'MayReturn', text })
}

/** Waits until the load balancers send to the node again. Undefined: the time is over. */
export function attachGrace({ s }: Pass, n: NodeView, from: number): NodeAnswer | undefined {
  const { attachGraceMs } = s.object.spec.detach
  const until = from + attachGraceMs
  if (s.now >= until) return undefined
  const text = `${n.name} was attached again, and the grace of ${formatDuration(attachGraceMs)} is not over`
  return wait([{ code: 'AttachGrace', object: n.name, text }], until)
}

/**
 * The same wait for a node without a Deployment, so nothing stores its beginning. What this process saw counts. If it saw no claim, an
 * earlier process may have withdrawn one, so the grace runs from when the slot was first seen.
 */
export function graceWithoutDeployment(pass: Pass, n: NodeView): NodeAnswer | undefined {
  if (n.slot.kind !== 'ours') return undefined
  return attachGrace(pass, n, n.slot.withdrawnAt ?? n.slot.takenAt)
}

/**
 * Others removed the operation of a node on its way back, so nothing on the cluster shows that its load balancers do not send to it yet.
 * The slot is kept as long as the grace would have lasted.
 */
export function graceOfLost({ s }: Pass, n: NodeView): NodeAnswer | undefined {
  if (n.slot.kind !== 'ours' || n.slot.lost === undefined) return undefined
  const { op, since } = n.slot.lost
  if (isInPlace(op) || op.isNew === true) return undefined
  const until = Math.min(op.t3 ?? since, since) + s.object.spec.detach.attachGraceMs
  if (s.now >= until) return undefined
  const grace = formatDuration(s.object.spec.detach.attachGraceMs)
  const text = `others removed the operation on ${n.name} on its way back, so its slot is kept for the grace of ${grace}`
  return wait([{ code: 'AttachGrace', object: n.name, text }], until)
}

/**
 * Waits for the agent, which may not know yet that the claim is gone, or finds that the node serves nothing. After the limit the node is
 * stuck: it may need pods of another template, or a person.
 */
function untilHeard(pass: Pass, n: NodeView, op: IngressOp): NodeAnswer {
  const { s, target } = pass
  const text = `the agent of ${n.name} does not give a good health answer yet`
  const reason: Reason = { code: 'AgentNotHeard', object: n.name, text }
  if (!isReturnOverdue(s, n, op)) return wait([reason], returnDeadline(s, op))
  if (op.revision !== target && mayMove(pass, n, op.revision))
    return act(
      n,
      { kind: 'writeOp', op: toDetach({ ...op, revision: target }, s.now) },
      { code: 'RevisionSuperseded', text: `revision ${target} is wanted by now, so ${n.name} goes on to that one` },
    )
  // The agent uses the id of this claim, so the id stays.
  if (n.request?.kind === 'retry' && n.request.of === op.id)
    return act(
      n,
      { kind: 'writeOp', op: { ...op, t3: s.now }, isRetry: true },
      { code: 'RetryAsked', text: `${n.name} is to be tried again` },
    )
  return wait([
    { ...reason, next: 'look at its agent: the node comes back once that answers; or retry or skip the node' },
  ])
}
