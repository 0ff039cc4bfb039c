import { decideObject } from '../../core/ingress/decide-object.ts'
import type { ObjectAction } from '../../core/ingress/household.ts'
import type { IngressLook } from '../../core/ingress/look.ts'
import { OP_ANNOTATION, parseOp } from '../../core/ingress/op.ts'

/**
 * Whether an action is to be done. Before a slot is taken, before the operation is written, and before the node is claimed, all nodes
 * and all slots are read anew and it is decided once more: a cache may lag without a sign of it.
 */
export async function stillDecided(
  action: ObjectAction,
  look: IngressLook,
  fresh: () => Promise<IngressLook | undefined>,
): Promise<boolean> {
  if (!takesFromService(action, look)) return true
  const now = await fresh()
  if (now === undefined) return false
  const decision = decideObject({ kind: 'seen', look: now })
  return decision.kind === 'act' && decision.actions.some((one) => isSame(one, action))
}

/** A node that nothing is under way on is about to be taken out, or to be changed while it serves. */
function takesFromService(action: ObjectAction, { snapshot }: IngressLook): boolean {
  if (action.kind === 'takeSlot') return true
  if (action.kind !== 'writeOp' && action.kind !== 'claim') return false
  const annotations = snapshot.nodes.find(({ name }) => name === action.node)?.deployment?.annotations
  if (annotations === undefined) return false
  if (action.kind === 'writeOp') return !(OP_ANNOTATION in annotations)
  const word = parseOp(annotations[OP_ANNOTATION])
  return word.kind === 'op' && word.op.t1 === undefined
}

const isSame = (one: ObjectAction, other: ObjectAction): boolean =>
  one.kind === other.kind &&
  (!('node' in one) || !('node' in other) || one.node === other.node) &&
  (one.kind !== 'takeSlot' || other.kind !== 'takeSlot' || one.index === other.index)
