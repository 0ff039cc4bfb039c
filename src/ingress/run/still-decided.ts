import { decideObject } from '../decide/decide-object.ts'
import type { ObjectAction } from '../decide/household.ts'
import type { IngressLook } from '../decide/look.ts'
import { OP_ANNOTATION, parseOp } from '../decide/op.ts'

interface Decided {
  readonly action: ObjectAction
  readonly look: IngressLook
}

/**
 * An action as it is to be done, with what it is decided by. Before a slot is taken, before the operation is written, and before the node
 * is claimed, all nodes and all slots are read anew and it is decided once more: a cache may lag without a sign of it. What that says
 * is done, since it may be for another revision or another slot. Undefined: nothing of this kind is to be done to the node any more.
 */
export async function stillDecided(
  { action, look }: Decided,
  fresh: () => Promise<IngressLook | undefined>,
): Promise<Decided | undefined> {
  if (!takesFromService(action, look)) return { action, look }
  const now = await fresh()
  if (now === undefined) return undefined
  const decision = decideObject({ kind: 'seen', look: now })
  const anew = decision.kind === 'act' ? decision.actions.find((one) => isSame(one, action)) : undefined
  return anew === undefined ? undefined : { action: anew, look: now }
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
  one.kind === other.kind && (!('node' in one) || !('node' in other) || one.node === other.node)
