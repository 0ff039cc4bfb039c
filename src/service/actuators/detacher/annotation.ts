import type { Node } from '../../../ground/model/node.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { Noticing } from '../../decide/evidence.ts'
import { type NodeServer, wasServing } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import { type ServerReading, serverKey } from '../../model/balancer.ts'
import { askedStates, type DetacherSpec, saysDetached, stampOf } from '../../model/detacher.ts'
import type { Actuator, OwnReadingWords } from '../actuator.ts'

/**
 * A detacher of the cluster, which is asked by an annotation of the Node and acknowledges by a timestamp. Its word counts
 * only if it is of this request; when it was first seen is known for sure, so that the grace begins then, whatever clock the
 * detacher goes by. A request that was there before is never taken away: the node goes back to being out.
 */
export const annotation = (spec: DetacherSpec): Actuator => ({
  asAsked: (instance, nodeOf) => {
    const { reading } = instance
    if (reading === undefined) return instance
    const servers = reading.servers.map((server) => asAsked(server, nodeOf(server.ref.server), spec))
    return { ...instance, reading: { ...reading, servers } }
  },
  asUsed: (_s, instance) => instance,
  // Out before: it goes back to what its owner wants by then. What this roll asked for in their place stays: whose it is cannot be told.
  before: (_s, { recorded, reading }) =>
    recorded.state === 'ready' || reading === undefined ? recorded.state : reading.ownState,
  whenOut: ({ recorded }) => (recorded.state === 'ready' ? 'drain' : recorded.state),
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

/** Why its word that the node is detached does not count; undefined where it does. */
function notDetached(s: ServiceSnapshot, { recorded }: NodeServer, spec: DetacherSpec): Reason | undefined {
  const stamp = stampOf(s.node, spec.detachedKey)
  const says = (what: string): Reason => ({
    code: 'DetacherNotDone',
    object: s.node.name,
    text: `the detacher has not said that ${s.node.name} is detached: ${what}`,
  })
  if (stamp.kind === 'absent') return says(`the annotation ${spec.detachedKey} is missing`)
  if (stamp.kind === 'unreadable') return says(`the annotation ${spec.detachedKey} is no RFC 3339 time`)
  // Asked for by others before: their cycle is the one that it was acknowledged in.
  if (recorded.state !== 'ready') return undefined
  const isOfThisCycle = s.recordedAt !== undefined && stamp.at >= s.recordedAt - spec.skewMs
  if (!isOfThisCycle) return says(`the annotation ${spec.detachedKey} is older than the request`)
  const { detachedKey, attachedKey } = spec
  return attachedKey !== undefined && isAttachedSince(s.node, { at: stamp.at, attachedKey })
    ? says(`the annotation ${attachedKey} is not older than ${detachedKey}, so the node was attached again since`)
    : undefined
}

/** By the detacher's clock alone: two cycles may be as close as its clock and ours are apart. Of one second it holds. */
function isAttachedSince(
  node: Node,
  { at, attachedKey }: { readonly at: WallMs; readonly attachedKey: string },
): boolean {
  const attached = stampOf(node, attachedKey)
  return attached.kind === 'at' && attached.at >= at
}

/** Why its word that the node is attached again does not count: the removal counts, or an attachment after the detachment. */
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

/** After the announcement of the reboot nothing is waited for again; nor is a node that did not serve before. */
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

/** Since when its word is seen, and since when that is long enough. A word that goes away counts from its next sight. */
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

/** Another client has put its own value in the place of ours: then that client has to remove it. */
function askedByOthers({ node }: ServiceSnapshot, { request: { key, value } }: DetacherSpec): Reason | undefined {
  const found = node.annotations[key]
  if (found === undefined || found === value) return undefined
  return {
    code: 'DetachAskedByOthers',
    object: node.name,
    text: `the annotation ${key} of ${node.name} has another value than the one this roll set`,
    next: `once no one else wants ${node.name} out: kubectl annotate node ${node.name} ${key}-`,
  }
}

/** No balancer counts or checks anything here; a node whose detacher goes by its cordon, too, bears the time of that. */
export const annotationWords: OwnReadingWords = {
  areOf: ({ detacher }) => detacher === true,
  balancerTells: false,
  checked: () => 'in',
  goesByMarks: () => false,
  isNews: () => false,
  findings: () => [],
}
