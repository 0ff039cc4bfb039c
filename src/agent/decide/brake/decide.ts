import type { LoopDecision } from '../../../ground/model/loop-decision.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { CordonGrants } from '../../../service/model/cordon-grants.ts'
import type { FleetNode } from '../../model/fleet-node.ts'
import type { NodeNotice } from '../../model/node-notice.ts'
import { type Share, shareOut } from './share-out.ts'
import type { BrakeSnapshot, Published } from './snapshot.ts'

export type BrakeAction =
  | {
      readonly kind: 'publish'
      readonly grants: CordonGrants
      readonly announced: readonly string[]
      /**
       * Nodes that were granted and are not cordoned any more. They are read again first, since withdrawing a grant puts a node
       * back in.
       */
      readonly dropped: readonly string[]
    }
  | { readonly kind: 'tell'; readonly notice: NodeNotice }

export type BrakeDecision = LoopDecision<BrakeAction>

/** Something may have changed without an event. */
const RECHECK_MS = 5_000
/** Each event is a request, and a node that may leave must not wait for all of them. */
const ANNOUNCED_AT_ONCE = 20
const NAMED_AT_MOST = 5

/** Decides which nodes may leave their balancers by cordon. An unknown state changes nothing. */
export function decideBrake(snapshot: BrakeSnapshot): BrakeDecision {
  const { fleet, published } = snapshot
  if (fleet.kind === 'unknown') {
    return refused({ code: 'NodesUnknown', text: `the nodes are not known: ${fleet.why}` })
  }
  const refusal = refusalOf(fleet.nodes)
  if (refusal !== undefined) return refused(refusal)
  const share = shareOut(snapshot, fleet.nodes)
  const { granted, max, of, waiting } = share
  const grants: CordonGrants = { version: 1, granted, max, of }
  const isWaiting = new Set(waiting.map(({ name }) => name))
  const announced = (published?.announced ?? []).filter((name) => isWaiting.has(name))
  const why = publishReason(grants, snapshot)
  if (why !== undefined) {
    const dropped = (published?.grants?.granted ?? []).filter((name) => !granted.includes(name))
    return { kind: 'act', actions: [{ kind: 'publish', grants, announced, dropped }], reasons: [why] }
  }
  return announceWaiting({ grants, announced, share, published }) ?? rest(snapshot, share)
}

const refused = (reason: Reason): BrakeDecision => ({ kind: 'hold', reasons: [reason], recheckAfterMs: RECHECK_MS })

function refusalOf(nodes: readonly FleetNode[]): Reason | undefined {
  if (nodes.length === 0) return { code: 'FleetEmpty', text: 'the API server knows no node of this fleet' }
  const unreadable = nodes.find((node) => node.unreadable)
  if (unreadable === undefined) return undefined
  return { code: 'NodeUnreadable', text: 'the API server shows a Node that is malformed', object: unreadable.name }
}

/** Undefined if this leader has already written these grants. A late write of an earlier leader then fails. */
function publishReason(grants: CordonGrants, { published, self }: BrakeSnapshot): Reason | undefined {
  if (published === undefined) return { code: 'GrantsAbsent', text: 'no grants of cordons are published yet' }
  const { grants: there, writer } = published
  if (there === undefined)
    return { code: 'GrantsUnreadable', text: 'the ConfigMap of the granted cordons is malformed' }
  if (!isSame(grants, there)) {
    return { code: 'GrantsChange', text: `${grants.granted.length} of at most ${grants.max} cordons are granted` }
  }
  if (writer !== self) return { code: 'GrantsOfAnother', text: 'the grants were written by another leader' }
  return undefined
}

const isSame = (a: CordonGrants, b: CordonGrants): boolean =>
  a.max === b.max && a.of === b.of && a.granted.join() === b.granted.join()

interface Telling {
  readonly grants: CordonGrants
  readonly announced: readonly string[]
  readonly share: Share
  readonly published: Published | undefined
}

/**
 * First each event, then the note that there is one: if the leader is killed in between, the event is sent twice, but never lost.
 */
function announceWaiting({ grants, announced, share, published }: Telling): BrakeDecision | undefined {
  const isAnnounced = new Set(announced)
  const unannounced = share.tooSoonForMs > 0 ? [] : share.waiting.filter(({ name }) => !isAnnounced.has(name))
  const next = unannounced.slice(0, ANNOUNCED_AT_ONCE)
  if (next.length === 0 && announced.length === (published?.announced ?? []).length) return undefined
  const notices = next.map((node) => ({ kind: 'tell', notice: noticeOf(node, share) }) as const)
  const names = [...announced, ...next.map(({ name }) => name)].toSorted()
  const note = { kind: 'publish', grants, announced: names, dropped: [] } as const
  const fewer: Reason = { code: 'FewerWait', text: 'fewer nodes wait for their cordon to be granted' }
  const reasons = next.length === 0 ? [fewer] : notices.map(({ notice }) => notice.reason)
  return { kind: 'act', actions: [...notices, note], reasons }
}

const noticeOf = (node: FleetNode, share: Share): NodeNotice => ({
  node: node.name,
  uid: node.uid,
  reason: notGranted(node.name, share),
})

function notGranted(name: string, { granted, otherwiseOut, max, of }: Share): Reason {
  const named = otherwiseOut.slice(0, NAMED_AT_MOST).join(', ')
  const text =
    otherwiseOut.length === 0
      ? `the limit of nodes out by cordon is reached: ${granted.length} of ${of}`
      : `at most ${max} of ${of} nodes may be out: ${granted.length} are out by cordon, ${otherwiseOut.length} for another reason (${named})`
  return { code: 'CordonNotGranted', text, object: name, next: 'uncordon another node, or raise --max-cordoned-out' }
}

const FLEET_JUST_SEEN: Reason = {
  code: 'FleetJustSeen',
  text: 'this process has just started and does not know which nodes came back a moment ago, so it grants no further cordon for now',
}

function rest({ memory, returnMs, now }: BrakeSnapshot, share: Share): BrakeDecision {
  if (share.tooSoonForMs > 0 && share.waiting.length > 0) {
    return { kind: 'hold', reasons: [FLEET_JUST_SEEN], recheckAfterMs: share.tooSoonForMs }
  }
  const reasons = share.waiting.map(({ name }) => notGranted(name, share))
  if (reasons.length === 0) {
    return { kind: 'settled', reasons: [{ code: 'CordonsGranted', text: 'every node that is cordoned may be out' }] }
  }
  const backInMs = [...memory.returning.values()].map((since) => since + returnMs - now)
  if (backInMs.length === 0) return { kind: 'settled', reasons }
  return { kind: 'hold', reasons, recheckAfterMs: Math.max(1, Math.min(...backInMs)) }
}
