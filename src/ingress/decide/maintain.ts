import type { Admission } from './admission.ts'
import { apply, slotFor } from './apply-template.ts'
import { detaching } from './detaching.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import { type IngressOp, isFirst, toDetach } from './op.ts'
import { type NodeView, neverServed, type Pass } from './pass.ts'
import { placeHolds } from './place-holds.ts'
import { mayMove } from './rollout-rules.ts'
import { setGate } from './set-gate.ts'
import { eligibilityAt, type IngressDeployment } from './snapshot.ts'

interface Maintained {
  readonly op: IngressOp
  readonly deployment: IngressDeployment
  readonly admission: Admission | undefined
}

/**
 * Others work on the node. It is detached first; then its gate opens, so that the drain of any tool may evict its pods. A due update is
 * done meanwhile, since the node is out anyway.
 *
 * Law: pods may be evicted from a node by a drain once it is detached, and not before.
 */
export function maintain(pass: Pass, n: NodeView, { op, deployment, admission }: Maintained): NodeAnswer {
  if (neverServed(n)) return setGate(pass, n, true) ?? waitForOthers(n)
  // The gate was opened while none of the first pods was ready.
  const closed = isFirst(op) ? setGate(pass, n, false) : undefined
  if (closed !== undefined) return closed
  const slot = slotFor(n, admission)
  if (slot !== undefined) return slot
  if (op.phase !== 'Detaching')
    return act(
      n,
      { kind: 'writeOp', op: toDetach(op, pass.s.now) },
      { code: 'NodeBegun', text: `others work on ${n.name}, so it stays out` },
    )
  // Others work on the node, so it is not attached again after the limit. A dead machine acknowledges nothing any more.
  const detached = detaching(pass, n, { op, timeout: n.node?.ready === 'True' ? 'patient' : 'bounded' })
  if (detached.kind === 'not yet') return setGate(pass, n, false) ?? detached.answer
  return setGate(pass, n, true) ?? whileOut(pass, n, { op, deployment })
}

function whileOut(pass: Pass, n: NodeView, { op, deployment }: Omit<Maintained, 'admission'>): NodeAnswer {
  const isEmptied = pass.s.object.spec.onCordon === 'DetachAndScaleDown'
  if (isEmptied && deployment.replicas > 0)
    return act(n, { kind: 'scale', replicas: 0 }, { code: 'ReplicasDiffer', text: `${n.name} needs no pods now` })
  const isPlaced = eligibilityAt(n, pass.target) === 'Run' && n.node?.ready === 'True'
  if (op.revision !== pass.target && isPlaced && mayMove(pass, n, op.revision))
    return act(
      n,
      { kind: 'writeOp', op: { ...op, revision: pass.target } },
      { code: 'NodeBegun', text: `${n.name} is out, so its pods are replaced meanwhile` },
    )
  if (deployment.revision !== op.revision && placeHolds(n, { ...op, isInMaintenance: true }).length === 0)
    return apply(pass, n, { revision: op.revision, atOnce: true, replicas: deployment.replicas })
  return waitForOthers(n)
}

const waitForOthers = (n: NodeView): NodeAnswer =>
  wait([
    { code: 'OthersAtWork', object: n.name, text: `others work on ${n.name}; it comes back once it is uncordoned` },
  ])
