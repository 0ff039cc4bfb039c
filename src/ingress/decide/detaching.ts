import type { Reason } from '../../ground/model/reason.ts'
import { askDetach } from './ask-detach.ts'
import { type DetachWait, detachWaits, SKEW_MS } from './detached.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import { isAskRefused, overdue } from './node-state.ts'
import type { IngressOp } from './op.ts'
import type { NodeView, Pass } from './pass.ts'

/** Whether the detach is complete, or the next write or wait. */
type Detached = { readonly kind: 'detached' } | { readonly kind: 'not yet'; readonly answer: NodeAnswer }

const notYet = (answer: NodeAnswer): Detached => ({ kind: 'not yet', answer })

/** What to do about a missing acknowledgement after the limit. */
interface Patience {
  /**
   * `as said`: by `onTimeout`. `patient`: the same, but the node is not attached again, since it is to be out for another reason.
   * `bounded`: go on, because the node or its pods go anyway.
   */
  readonly timeout: 'bounded' | 'as said' | 'patient'
}

/** Sets all missing signs, then waits for graces and acknowledgements. */
export function detaching(pass: Pass, n: NodeView, { op, timeout }: Patience & { readonly op: IngressOp }): Detached {
  const { now, object } = pass.s
  if (Math.max(op.t0, op.t1 ?? 0, op.markedAgain ?? 0) > now + SKEW_MS) return notYet(fromFuture(pass, n, op))
  const { onTimeout } = object.spec.detach
  const isAborted = timeout === 'as said' && onTimeout === 'Abort'
  const asked = askDetach(pass, n, op)
  if (asked !== undefined) return notYet(isAborted && isAskRefused(pass.s, n, op) ? giveUp(n, op) : asked)
  const waits = detachWaits(pass.s, n, { ...op, t1: op.t1 ?? now })
  if (waits.length === 0) return { kind: 'detached' }
  const missing = overdue(pass.s, n, op)
  if (missing === undefined) return notYet(waitFor(waits))
  if (timeout === 'bounded' || onTimeout === 'Proceed') {
    const graces = waits.filter(({ until }) => until !== undefined)
    return graces.length === 0 ? { kind: 'detached' } : notYet(waitFor(graces))
  }
  if (isAborted) return notYet(giveUp(n, op))
  const held = timeout === 'patient' ? heldOut(n, onTimeout) : timedOut(n)
  return notYet(wait([held, ...missing.map(({ reason }) => reason)]))
}

function waitFor(waits: readonly DetachWait[]): NodeAnswer {
  const ends = waits.flatMap(({ until }) => until ?? [])
  return wait(
    waits.map(({ reason }) => reason),
    ends.length === 0 ? undefined : Math.min(...ends),
  )
}

/**
 * The times of the operation are in the future, by a clock that is ahead or by a forgery. Nothing can be counted from them, so all graces
 * begin now.
 */
function fromFuture(pass: Pass, n: NodeView, { t1: _t1, markedAgain: _again, ...op }: IngressOp): NodeAnswer {
  const text = `the times of the operation on ${n.name} are in the future, so its graces begin now`
  return act(n, { kind: 'writeOp', op: { ...op, t0: pass.s.now } }, { code: 'OperationFromFuture', text })
}

function giveUp(n: NodeView, op: IngressOp): NodeAnswer {
  const { text } = timedOut(n)
  const back: IngressOp = { ...op, phase: 'Attaching', gaveUp: true }
  return act(n, { kind: 'writeOp', op: back }, { code: 'DetachTimedOut', text })
}

const timedOut = (n: NodeView): Reason => ({
  code: 'DetachTimedOut',
  object: n.name,
  text: `${n.name} is not known to be detached after the limit of its detach`,
  next: 'look at its detacher and its agent; then retry or skip the node',
})

/** The next step for a person. Retry and skip apply only to updates. */
function heldOut(n: NodeView, onTimeout: 'Pause' | 'Abort'): Reason {
  const { text, ...reason } = timedOut(n)
  const unlikeAbort = onTimeout === 'Abort' ? '; it is to be out, so it is not attached again' : ''
  return {
    ...reason,
    text: `${text}${unlikeAbort}`,
    next: 'look at its detacher and its agent, or set detachTimeoutPolicy to Proceed',
  }
}
