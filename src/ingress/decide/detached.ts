import { formatDuration } from '../../ground/model/duration.ts'
import type { Node } from '../../ground/model/node.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { stampOf } from '../../service/model/detacher.ts'
import type { DetachSpec } from '../model/ingress-daemon-set.ts'
import { askedDetacher, claimedAt, isMarkOfOthers } from './marks.ts'
import type { IngressOp } from './op.ts'
import type { IngressNode, IngressSnapshot } from './snapshot.ts'

/** The clocks of two machines may differ by this much. */
export const SKEW_MS = 120_000

export interface DetachWait {
  readonly reason: Reason
  /** When the wait ends by itself. Absent: it ends with an acknowledgement. */
  readonly until?: number
}

type Asked = IngressOp & { readonly t1: WallMs }

/**
 * The waits of a detach, once all its signs are set. A grace runs from its mark; no process begins it anew. The grace of the Deployment
 * does not begin while the agent is silent.
 *
 * Law: no pod of a node changes before every grace of its detach is over.
 */
export function detachWaits(s: IngressSnapshot, n: IngressNode, op: Asked): readonly DetachWait[] {
  const { detach } = s.object.spec
  return [
    ...byHealth(s, n, op),
    ...(detach.node === undefined
      ? []
      : grace(s, n, { from: op.t1, graceMs: detach.node.graceMs, of: detach.node.key })),
    ...(detach.node === undefined ? [] : byDetacher(s, n, op)),
  ]
}

interface Grace {
  readonly from: number
  readonly graceMs: number
  /** The key of the mark. */
  readonly of: string
}

function grace({ now }: IngressSnapshot, n: IngressNode, { from, graceMs, of }: Grace): readonly DetachWait[] {
  const until = from + graceMs
  if (now >= until) return []
  const text = `${n.name} was asked to leave by ${of}, and the grace of ${formatDuration(graceMs)} is not over`
  return [{ reason: { code: 'DetachGrace', object: n.name, text }, until }]
}

/** The wait for health checks. Answers fail from the mark and the claim on, or from the agent's acknowledgement on. */
function byHealth(s: IngressSnapshot, n: IngressNode, op: Asked): readonly DetachWait[] {
  const { key, graceMs } = s.object.spec.detach.deployment
  const asked = Math.max(op.t0, op.markedAgain ?? op.t0, claimedAt(s.object, n) ?? op.t1)
  const fromMark = grace(s, n, { from: asked, graceMs, of: key })
  if (n.agent === undefined) return fromMark
  const word = n.agent.acknowledged
  if (word?.id !== op.id) return [{ reason: notHeard(n) }, ...fromMark]
  return grace(s, n, { from: Math.max(asked, word.seen), graceMs, of: key })
}

const notHeard = (n: IngressNode): Reason => ({
  code: 'AgentNotHeard',
  object: n.name,
  text: `the agent of ${n.name} has not acknowledged the detach, so its health checks may still pass`,
})

function byDetacher(s: IngressSnapshot, n: IngressNode, op: Asked): readonly DetachWait[] {
  const wanted = s.object.spec.detach.acknowledgement
  if (wanted === undefined || n.node === undefined) return []
  const at = acknowledgedAt(s, { n, op, wanted, node: n.node })
  if (typeof at === 'string')
    return [
      {
        reason: {
          code: 'DetacherNotDone',
          object: n.name,
          text: `the detacher has not said that ${n.name} is detached: ${at}`,
        },
      },
    ]
  return grace(s, n, { from: at, graceMs: wanted.graceMs, of: wanted.key })
}

interface Question {
  readonly n: IngressNode
  readonly op: Asked
  readonly wanted: NonNullable<DetachSpec['acknowledgement']>
  readonly node: Node
}

/**
 * From when on an acknowledgement counts, or why it does not count. One that was on the Node before the request, or is older than the
 * request by more than clocks differ, belongs to an earlier cycle. None counts from before all signs were set. One in the future counts
 * from when it was first seen.
 */
function acknowledgedAt(s: IngressSnapshot, { n, op, wanted, node }: Question): number | string {
  const stamp = stampOf(node, wanted.key)
  if (stamp.kind === 'absent') return `the annotation ${wanted.key} is missing`
  if (stamp.kind === 'unreadable') return `the annotation ${wanted.key} is no RFC 3339 time`
  // Others asked before, so the acknowledgement is of their cycle.
  if (!isMarkOfOthers(s.object, n)) {
    const asked = askedDetacher(n, s.object.spec.detach.node?.key ?? '')
    if (asked?.before === node.annotations[wanted.key])
      return `the annotation ${wanted.key} is still the one from before the request`
    if (stamp.at < Math.min(asked?.at ?? op.t0, s.now) - SKEW_MS)
      return `the annotation ${wanted.key} is older than the request`
  }
  return Math.max(op.t1, Math.min(stamp.at, n.acknowledgementSeen ?? s.now))
}
