import type { Node } from '../../../ground/model/node.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { Noticing } from '../../decide/evidence.ts'
import { type NodeServer, wasServing } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import { type ServerReading, serverKey } from '../../model/balancer.ts'
import { askedStates, type DetacherSpec, saysDetached, stampOf } from '../../model/detacher.ts'
import type { Actuator, OwnReadingWords } from '../actuator.ts'

/**
 * A detacher of the cluster. An annotation of the Node requests a detach, and the detacher acknowledges by a timestamp. Its
 * timestamp counts only if it answers this request. The roll knows for sure when it first saw the timestamp, so the grace
 * begins then, whatever the detacher's clock says. A request that was there before is never removed: the node goes back to
 * being out.
 */
export const annotation = (spec: DetacherSpec): Actuator => ({
  asAsked: (instance, nodeOf) => {
    const { reading } = instance
    if (reading === undefined) return instance
    const servers = reading.servers.map((server) => asAsked(server, nodeOf(server.ref.server), spec))
    return { ...instance, reading: { ...reading, servers } }
  },
  asUsed: (_s, instance) => instance,
  // A node that was out before goes back to what its owner wants then. If the roll has replaced that owner's request, its own
  // stays, since nothing shows whose it was.
  before: (_s, { recorded, reading }) =>
    recorded.state === 'ready' || reading === undefined ? recorded.state : reading.ownState,
  whenOut: (_s, { recorded }) => (recorded.state === 'ready' ? 'drain' : recorded.state),
  through: () => undefined,
  move: (s, { recorded, ref }, to) => ({
    kind: 'askDetacher',
    node: s.node.name,
    balancer: recorded.balancer,
    ref,
    ...spec.request,
    ...to,
  }),
  isNotSet: (_s, place) =>
    place.reading?.ownState !== (place.recorded.state === 'ready' ? 'drain' : place.recorded.state),
  isOverwritten: () => false,
  keepsRequest: () => false,
  mayBeUndone: () => undefined,
  unheard: () => undefined,
  untaken: (s, place) => (isAsked(place) ? notDetached(s, place, spec) : undefined),
  unnoticed: (s, place, way) => (isAwaited(s, place, way) ? underWay(s, place, { way, spec }) : undefined),
  heldByOthers: (s) => askedByOthers(s, spec),
  holdsDeadConnections: () => false,
  awaitsClosing: () => false,
  isBusy: () => false,
  left: () => 'unknown',
  canCut: false,
  notice: (s, place, before) => noticed(s, place, { before, spec }),
  endConnections: (_s, _place, before) => before,
})

const isAsked = ({ reading }: NodeServer): boolean => reading !== undefined && reading.ownState !== 'ready'

const asAsked = (server: ServerReading, node: Node | undefined, spec: DetacherSpec): ServerReading =>
  node === undefined ? server : { ...server, ...askedStates(node, spec) }

/** Why the detacher's timestamp does not show that the node is detached; undefined where it does. */
function notDetached(s: ServiceSnapshot, { recorded }: NodeServer, spec: DetacherSpec): Reason | undefined {
  const stamp = stampOf(s.node, spec.detachedKey)
  const says = (what: string): Reason => ({
    code: 'DetacherNotDone',
    object: s.node.name,
    text: `the detacher has not said that ${s.node.name} is detached: ${what}`,
  })
  if (stamp.kind === 'absent') return says(`the annotation ${spec.detachedKey} is missing`)
  if (stamp.kind === 'unreadable') return says(`the annotation ${spec.detachedKey} is no RFC 3339 time`)
  // Others may have made the request before: then the acknowledgement is of their cycle, and older than the record.
  const isOfThisCycle =
    recorded.state !== 'ready' || (s.recordedAt !== undefined && stamp.at >= s.recordedAt - spec.skewMs)
  if (!isOfThisCycle) return says(`the annotation ${spec.detachedKey} is older than the request`)
  const { detachedKey, attachedKey } = spec
  return attachedKey !== undefined && isAttachedSince(s.node, { at: stamp.at, attachedKey })
    ? says(`the annotation ${attachedKey} is not older than ${detachedKey}, so the node was attached again since`)
    : undefined
}

/**
 * Both times are of the detacher's clock, since two cycles may be as close as its clock and ours are apart. With equal times the
 * node counts as attached, and the roll holds.
 */
function isAttachedSince(
  node: Node,
  { at, attachedKey }: { readonly at: WallMs; readonly attachedKey: string },
): boolean {
  const attached = stampOf(node, attachedKey)
  return attached.kind === 'at' && attached.at >= at
}

/**
 * Why the detacher's annotations do not show that the node is attached again. Either the removal counts, or an attachment after
 * the detachment.
 */
function notAttached(s: ServiceSnapshot, spec: DetacherSpec): Reason | undefined {
  if (!saysDetached(s.node, spec)) return undefined
  const { detachedKey, attachedKey } = spec
  const attached = attachedKey === undefined ? undefined : stampOf(s.node, attachedKey)
  const unreadable = attached?.kind === 'unreadable' ? `, and ${attachedKey} is no RFC 3339 time` : ''
  return {
    code: 'DetacherNotDone',
    object: s.node.name,
    text: `the detacher has not said that ${s.node.name} is attached again: the annotation ${detachedKey} is still there${unreadable}`,
  }
}

/** After the announcement of the reboot nothing is waited for again; nor for a node that did not serve before. */
function isAwaited(s: ServiceSnapshot, place: NodeServer, way: Noticing['way']): boolean {
  if (place.reading === undefined || (way === 'out' ? s.announced : !wasServing(place.recorded))) return false
  const seen = s.evidence.noticing[serverKey(place.ref)]
  return seen?.way !== way || seen.noticed === undefined
}

interface OnTheWay {
  readonly way: Noticing['way']
  readonly spec: DetacherSpec
}

const underWay = (s: ServiceSnapshot, { ref }: NodeServer, { way, spec }: OnTheWay): Reason =>
  (way === 'in' ? notAttached(s, spec) : undefined) ?? {
    code: 'DetacherGrace',
    object: ref.server,
    text:
      way === 'out'
        ? `${ref.server} was detached, and the grace of ${spec.graceMs / 1_000} s is not over`
        : `${ref.server} was attached again, and the grace of ${spec.attachGraceMs / 1_000} s is not over`,
  }

/**
 * Since when the timestamp is seen, and since when that is long enough. If it goes away, it counts anew from when it is seen
 * next.
 */
function noticed(
  s: ServiceSnapshot,
  place: NodeServer,
  { before, spec }: { readonly before: Noticing | undefined; readonly spec: DetacherSpec },
): Noticing | undefined {
  if (place.reading === undefined) return before
  const way = isAsked(place) ? 'out' : 'in'
  const missing = way === 'out' ? notDetached(s, place, spec) : notAttached(s, spec)
  if (missing !== undefined) return undefined
  const seen: Noticing = before?.way === way ? before : { way, since: s.now }
  const graceMs = way === 'out' ? spec.graceMs : spec.attachGraceMs
  if (seen.noticed !== undefined || s.now - seen.since < graceMs) return seen
  return { ...seen, noticed: { by: 'time', at: s.now } }
}

/** Another client has replaced our value with its own: that client has to remove it. */
function askedByOthers({ node }: ServiceSnapshot, { request: { key, value } }: DetacherSpec): Reason | undefined {
  const found = node.annotations[key]
  if (found === undefined || found === value) return undefined
  return {
    code: 'DetachAskedByOthers',
    object: node.name,
    text: `the annotation ${key} of ${node.name} has another value than the one this roll set`,
    next: say`once no one else wants ${node.name} out: ${kubectl`annotate node ${node.name} ${key}-`}`,
  }
}

/**
 * No balancer counts or checks anything here. If the detacher also goes by cordons, the node bears the timestamp for those as
 * well.
 */
export const annotationWords: OwnReadingWords = {
  areOf: ({ detacher }) => detacher === true,
  balancerTells: false,
  checked: () => 'in',
  goesByMarks: () => 'no',
  isNews: () => false,
  findings: () => [],
}
