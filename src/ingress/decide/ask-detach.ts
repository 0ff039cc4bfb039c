import { formatDuration } from '../../ground/model/duration.ts'
import type { AskedDetacher } from '../../service/decide/detach-holders.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'
import type { DetachMark } from '../model/ingress-daemon-set.ts'
import { SKEW_MS } from './detached.ts'
import { claimedAt, claimFor, ingressOwner, missingNodeMark, ownClaim, ownMark, unreadableClaims } from './marks.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import type { IngressOp } from './op.ts'
import type { NodeView, Pass } from './pass.ts'
import type { IngressSnapshot } from './snapshot.ts'

/**
 * Writes the next missing sign that asks for the detach: the mark of the Deployment, the claim, the mark of the Node, and then the note
 * that all are set. Undefined: none is missing. This goes on as long as the node is to be out, since others may remove a sign.
 */
export function askDetach(pass: Pass, n: NodeView, op: IngressOp): NodeAnswer | undefined {
  const { object, now } = pass.s
  const { deployment: mark, node } = object.spec.detach
  if (ownMark(object, n) === undefined) {
    // The grace begins now, whatever reached the node meanwhile. If pods change already, it counts for the next change.
    const text = `the Deployment of ${n.name} does not bear ${mark.key}`
    return act(n, { kind: 'writeOp', op: { ...op, markedAgain: now }, mark }, { code: 'MarkMissing', text })
  }
  const unreadable = unreadableClaims(n)
  if (unreadable !== undefined && op.phase === 'Detaching')
    return wait([
      { code: 'ClaimsUnreadable', object: n.name, text: `the claims on ${n.name} cannot be read: ${unreadable}` },
    ])
  const isClaimed = ownClaim(object, n)?.id === op.id && (claimedAt(object, n) ?? now) <= now + SKEW_MS
  if (unreadable === undefined && !isClaimed)
    return act(
      n,
      { kind: 'claim', claim: claimFor(object, op, now) },
      { code: 'MarkMissing', text: `${n.name} does not bear the claim of this operation` },
    )
  const missing = missingNodeMark(object, n)
  if (missing !== undefined && node !== undefined)
    return askDetacher(pass, n, { op, mark: node, isSet: missing.kind === 'set' })
  if (op.t1 !== undefined) return undefined
  const text = `everything that asks ${n.name} to leave is written, and its grace periods run`
  return act(n, { kind: 'writeOp', op: { ...op, t1: now } }, { code: 'DetachAsked', text })
}

interface Asking {
  readonly op: IngressOp
  readonly mark: DetachMark
  readonly isSet: boolean
}

/** Asks the detacher. An earlier acknowledgement does not count any more; that is noted before the detacher is asked again. */
function askDetacher({ s }: Pass, n: NodeView, { op: { t1, ...op }, mark, isSet }: Asking): NodeAnswer {
  const { key, value } = mark
  const tooSoon = isSet ? stillAskedBack(s, n, op) : undefined
  if (tooSoon !== undefined) return tooSoon
  const reason = { code: 'MarkMissing', text: `${n.name} does not bear ${key} for this operation` } as const
  if (t1 !== undefined) return act(n, { kind: 'writeOp', op: { ...op, t0: s.now } }, reason)
  const sets = isSet ? { asked: asking(s, n, value) } : {}
  return act(n, { kind: 'markNode', key, value, owner: ingressOwner(s.object), ...sets }, reason)
}

/**
 * Whether the detacher still needs time to attach the node. A mark that is away only for a moment may never be noticed; the detacher would
 * then keep the node out with its earlier answer, which does not count any more.
 */
function stillAskedBack(
  { now, object }: IngressSnapshot,
  n: NodeView,
  op: Omit<IngressOp, 't1'>,
): NodeAnswer | undefined {
  const { acknowledgement, attachGraceMs } = object.spec.detach
  const until = Math.min(op.unmarkedAt ?? 0, now) + attachGraceMs
  if (acknowledgement === undefined || now >= until) return undefined
  const text = `the detacher of ${n.name} was asked back less than ${formatDuration(attachGraceMs)} ago, and is asked again after that`
  return wait([{ code: 'AttachGrace', object: n.name, text }], until)
}

/** The request to the detacher. A timestamp that is there already belongs to an earlier cycle, however young it is. */
function asking({ object, now }: IngressSnapshot, { node }: NodeView, value: string): AskedDetacher {
  const { key } = object.spec.detach.acknowledgement ?? {}
  const before = key === undefined ? undefined : node?.annotations[key]
  // A value that is no timestamp never counts.
  return { at: now, value, ...(before !== undefined && parseTimestamp(before).kind === 'at' ? { before } : {}) }
}
