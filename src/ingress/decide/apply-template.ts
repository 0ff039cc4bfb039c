import type { Admission } from './admission.ts'
import { askDetach } from './ask-detach.ts'
import { takeSlot } from './begin.ts'
import { detachWaits } from './detached.ts'
import { unreadableClaims } from './marks.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import { type IngressOp, toDetach } from './op.ts'
import { type NodeView, neverServed, type Pass } from './pass.ts'
import { placeHolds } from './place-holds.ts'

interface Applying {
  readonly op: IngressOp
  readonly admission: Admission | undefined
}

/** Writes the template of the operation, or says why not yet. All conditions are checked again, since others may have put the node back. */
export function mayApply(pass: Pass, n: NodeView, { op, admission }: Applying): NodeAnswer {
  const isInPlace = pass.s.object.spec.strategy.kind === 'inPlace' && op.inPlace === true
  if (!neverServed(n)) {
    const slot = slotFor(n, admission)
    if (slot !== undefined) return slot
    // If the claims cannot be read, ours may be missing.
    const isAsked = op.inPlace !== true && unreadableClaims(n) === undefined && askDetach(pass, n, op) === undefined
    if (!isInPlace && !isAsked) return detachAnew(pass, n, op)
    const until = isInPlace ? [] : gracesLeft(pass, n, op)
    if (until.length > 0) return wait(until)
    const held = placeHolds(n, op)
    if (held.length > 0) return wait(held)
  }
  return apply(pass, n, { revision: op.revision, atOnce: !isInPlace })
}

/** Takes the slot before anything disruptive. */
export function slotFor(n: NodeView, admission: Admission | undefined): NodeAnswer | undefined {
  if (n.isGoing || n.slot.kind !== 'none' || admission === undefined) return undefined
  if (!admission.may) return wait(admission.reasons)
  return admission.slot === undefined ? undefined : takeSlot(n, admission.slot)
}

function detachAnew({ s }: Pass, n: NodeView, op: IngressOp): NodeAnswer {
  const text = `${n.name} is not yet asked to leave in every way, so its pods are not replaced yet`
  return act(n, { kind: 'writeOp', op: toDetach(op, s.now) }, { code: 'MarkMissing', text })
}

const gracesLeft = (pass: Pass, n: NodeView, { t1, ...op }: IngressOp) =>
  t1 === undefined
    ? []
    : detachWaits(pass.s, n, { ...op, t1 })
        .filter(({ until }) => until !== undefined)
        .map(({ reason }) => reason)

export function apply(
  pass: Pass,
  n: NodeView,
  {
    revision,
    atOnce,
    replicas = pass.s.object.spec.podsPerNode,
  }: { readonly revision: string; readonly atOnce: boolean; readonly replicas?: number },
): NodeAnswer {
  const text = `${n.name} gets the pods of revision ${revision}`
  return act(n, { kind: 'applyTemplate', revision, replicas, atOnce }, { code: 'TemplateDiffers', text })
}
