import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import { decideObject, type ObjectReading } from '../decide/decide-object.ts'
import type { ObjectAction } from '../decide/housekeeping.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import { OP_ANNOTATION, parseOp } from '../decide/op.ts'
import { objectOf } from '../decide/refusals.ts'

/** What a pass goes by. */
export type Seen = ObjectReading & {
  readonly object: CheckedIngress
  readonly key: string
  /** What is to be said and does not refuse the object. */
  readonly doubts: readonly FieldFinding[]
}

/** Of an object that makes no sense, nothing but a rollback is done. */
export function decidePass(seen: Seen): LoopDecision<ObjectAction> {
  const decision = decideObject(seen)
  if (seen.reading !== undefined || decision.kind === 'settled') return decision
  const { later: _, ...rest } = decision
  return rest.kind === 'hold' ? rest : { kind: 'settled', reasons: rest.reasons }
}

/** The UIDs of the Deployment and of the Node that an action of a node is about; else that of its object. */
export function objectOfAction(action: ObjectAction, { reading }: Seen): string | undefined {
  if (!('node' in action)) return objectOf(action)?.uid
  const node = reading?.snapshot.nodes.find(({ name }) => name === action.node)?.node
  return `${reading?.deployments.ours.get(action.node)?.uid} ${node?.uid}`
}

/** By caches that are behind nothing is wanted, and no refusal is over. */
export const isKnown = (seen: Seen): boolean => seen.kind === 'refused' || seen.reading.snapshot.isFresh

/** A node that nothing is under way on is about to be taken out, or to be changed while it serves. */
export function takesOut(action: ObjectAction, { reading }: Seen): boolean {
  if (action.kind === 'takeSlot') return true
  if (action.kind !== 'writeOp' && action.kind !== 'claim') return false
  const annotations = reading?.snapshot.nodes.find(({ name }) => name === action.node)?.deployment?.annotations
  if (annotations === undefined) return false
  if (action.kind === 'writeOp') return !(OP_ANNOTATION in annotations)
  const word = parseOp(annotations[OP_ANNOTATION])
  return word.kind === 'op' && word.op.t1 === undefined
}
