import { shortHash } from '../../ground/model/owned/node-names.ts'
import { wallMs } from '../../ground/model/time.ts'
import type { Admission } from './admission.ts'
import { purposeOf } from './admission.ts'
import { claimedAt, ingressOwner, ownClaim } from './marks.ts'
import { act, type NodeAnswer, REST, wait } from './node-answer.ts'
import type { IngressOp, Phase } from './op.ts'
import type { NodeView, Pass } from './pass.ts'
import { actionKey } from './refusals.ts'
import { isHeldIdle, isToGiveBack } from './slots.ts'

/** A new id from the object, the node and the time, so a process that writes it twice writes the same. */
export const newId = ({ s }: Pass, { name }: Pick<NodeView, 'name'>): string =>
  `${s.now.toString(36)}-${shortHash(`${ingressOwner(s.object)}/${name}`)}`

export const newOp = (
  pass: Pass,
  n: NodeView,
  to: { readonly revision: string; readonly phase: Phase },
): IngressOp => ({
  id: newId(pass, n),
  ...to,
  t0: pass.s.now,
})

/**
 * An operation for a node that this object may have out already without a readable reason. The claim tells since when, since the agent and
 * the detacher may have acknowledged it long ago. The mark may have been missing, so its grace begins now.
 */
export function opOfOut(pass: Pass, n: NodeView, to: Parameters<typeof newOp>[2]): IngressOp {
  const { object, now } = pass.s
  const fresh = newOp(pass, n, to)
  const since = Math.min(claimedAt(object, n) ?? now, now)
  return { ...fresh, id: ownClaim(object, n)?.id ?? fresh.id, t0: wallMs(since), t2: now, markedAgain: now }
}

/**
 * Begins with a node that is to leave: takes the slot, counts all nodes again, and writes the operation together with the first effect.
 *
 * Law: nothing is done to a node before its operation stands on its Deployment.
 */
export function begin(pass: Pass, n: NodeView, admission: Admission | undefined): NodeAnswer {
  const purpose = purposeOf(pass, n)
  if (admission === undefined || purpose === undefined) return giveBack(n, 'nothing is to be done there')
  if (!admission.may) {
    const goesBack = n.slot.kind === 'ours' && (!admission.isForRoom || isToGiveBack(pass, n))
    return goesBack ? giveBack(n, admission.reasons[0]?.text ?? 'it is not allowed to leave') : wait(admission.reasons)
  }
  if (admission.slot !== undefined) return takeSlot(n, admission.slot)
  const refusal = pass.s.refusals?.get(actionKey({ kind: 'writeOp', node: n.name }))
  const isRefused = refusal !== undefined && refusal.mayStand !== true
  if (isRefused && isHeldIdle(pass, n)) return giveBack(n, 'its operation is refused')
  const { spec } = pass.s.object
  const text = PURPOSES[purpose]
  if (purpose === 'update' && spec.strategy.kind === 'inPlace') {
    const op = {
      ...newOp(pass, n, { revision: pass.target, phase: 'Updating' }),
      t2: pass.s.now,
      inPlace: true,
    } as const
    return act(n, { kind: 'writeOp', op }, { code: 'NodeBegun', text: `${n.name}: ${text}` })
  }
  // For the work of others the pods stay as they are at first.
  const revision = purpose === 'update' ? pass.target : (n.deployment?.revision ?? pass.target)
  const op = newOp(pass, n, { revision, phase: 'Detaching' })
  return act(
    n,
    { kind: 'writeOp', op, mark: spec.detach.deployment },
    { code: 'NodeBegun', text: `${n.name}: ${text}` },
  )
}

const PURPOSES = {
  leave: 'it needs no pods any more',
  maintain: 'others work on the node',
  update: 'its pods have an older revision',
} as const

export const takeSlot = (n: NodeView, slot: NonNullable<Extract<Admission, { may: true }>['slot']>): NodeAnswer =>
  act(
    n,
    { kind: 'takeSlot', ...slot },
    slot.stale === undefined
      ? { code: 'SlotFree', text: `slot ${slot.index} of the node budget is free` }
      : { code: 'SlotAbandoned', text: `the owner of slot ${slot.index} is gone and left no record on a node` },
  )

/** Releases the slot, the last write for a node. */
export const giveBack = (n: NodeView, why: string): NodeAnswer =>
  n.slot.kind === 'ours'
    ? act(n, { kind: 'releaseSlot', index: n.slot.index }, { code: 'SlotUnneeded', text: `${n.name}: ${why}` })
    : REST
