import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import { decideObject, type ObjectReading } from '../decide/decide-object.ts'
import type { ObjectAction } from '../decide/housekeeping.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import { OP_ANNOTATION, parseOp } from '../decide/op.ts'
import { objectOf } from '../decide/refusals.ts'

/** The input of a pass. */
export type Seen = ObjectReading & {
  readonly object: CheckedIngress
  readonly key: string
  /** Findings that are reported and do not refuse the object. */
  readonly doubts: readonly FieldFinding[]
}

/** Decides a pass. For a refused object only a rollback is done. */
export function decidePass(seen: Seen, isHeld?: (action: ObjectAction) => boolean): LoopDecision<ObjectAction> {
  const decision = decideObject(seen, isHeld)
  if (seen.reading !== undefined || decision.kind === 'settled') return decision
  const { later: _, ...rest } = decision
  return rest.kind === 'hold' ? rest : { kind: 'settled', reasons: rest.reasons }
}

/** The UIDs of the Deployment and the Node of an action; for an action without a node, the UID of its object. */
export function objectOfAction(action: ObjectAction, { reading }: Seen): string | undefined {
  if (!('node' in action)) return objectOf(action)?.uid
  const node = reading?.snapshot.nodes.find(({ name }) => name === action.node)?.node
  return `${reading?.deployments.ours.get(action.node)?.uid} ${node?.uid}`
}

/** False while a cache is late. Then a decision without an action does not end the refusal of that action. */
export const isKnown = (seen: Seen): boolean => seen.kind === 'refused' || seen.reading.snapshot.isFresh

/** The action begins to take a node out, or to change it while it serves. */
export function takesOut(action: ObjectAction, { reading }: Seen): boolean {
  if (action.kind === 'takeSlot') return true
  if (action.kind !== 'writeOp' && action.kind !== 'claim') return false
  const annotations = reading?.snapshot.nodes.find(({ name }) => name === action.node)?.deployment?.annotations
  if (annotations === undefined) return false
  if (action.kind === 'writeOp') return !(OP_ANNOTATION in annotations)
  const word = parseOp(annotations[OP_ANNOTATION])
  return word.kind === 'op' && word.op.t1 === undefined
}
