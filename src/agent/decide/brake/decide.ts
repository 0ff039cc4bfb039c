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
      readonly told: readonly string[]
      /** Granted so far and not cordoned any more: to be asked for once more, since taking a grant back puts a node in. */
      readonly dropped: readonly string[]
    }
  | { readonly kind: 'tell'; readonly notice: NodeNotice }

export type BrakeDecision = LoopDecision<BrakeAction>

/** Something without an event may have changed. */
const RECHECK_MS = 5_000
/** An event is a request each, and a node that may leave must not wait for all of them. */
const TOLD_AT_ONCE = 20
const NAMED_AT_MOST = 5

/** Which nodes may leave their balancers by cordon. What is not known changes nothing. */
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
  const told = (published?.told ?? []).filter((name) => isWaiting.has(name))
  const why = publishReason(grants, snapshot)
  if (why !== undefined) {
    const dropped = (published?.grants?.granted ?? []).filter((name) => !granted.includes(name))
    return { kind: 'act', actions: [{ kind: 'publish', grants, told, dropped }], reasons: [why] }
  }
  return tellWaiting({ grants, told, share, published }) ?? rest(snapshot, share)
}

const refused = (reason: Reason): BrakeDecision => ({ kind: 'hold', reasons: [reason], recheckAfterMs: RECHECK_MS })

function refusalOf(nodes: readonly FleetNode[]): Reason | undefined {
  if (nodes.length === 0) return { code: 'FleetEmpty', text: 'the API server knows no node of this fleet' }
  const unreadable = nodes.find((node) => node.unreadable)
  if (unreadable === undefined) return undefined
  return { code: 'NodeUnreadable', text: 'the API server shows a Node that is malformed', object: unreadable.name }
}

/** Undefined where it stands there already, written by this leader: what an earlier one may still send is void then. */
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
  readonly told: readonly string[]
  readonly share: Share
  readonly published: Published | undefined
}

/** First each event, then the note that there is one: a leader that is killed in between tells it twice, never not at all. */
function tellWaiting({ grants, told, share, published }: Telling): BrakeDecision | undefined {
  const isTold = new Set(told)
  const untold = share.tooSoonForMs > 0 ? [] : share.waiting.filter(({ name }) => !isTold.has(name))
  const next = untold.slice(0, TOLD_AT_ONCE)
  if (next.length === 0 && told.length === (published?.told ?? []).length) return undefined
  const notices = next.map((node) => ({ kind: 'tell', notice: noticeOf(node, share) }) as const)
  const names = [...told, ...next.map(({ name }) => name)].toSorted()
  const note = { kind: 'publish', grants, told: names, dropped: [] } as const
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
