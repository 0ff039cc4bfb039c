import type { Node } from '../../../ground/model/node.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import { returnMs } from '../../decide/detection-time.ts'
import type { ConnectionsEnd, Noticing } from '../../decide/evidence.ts'
import { type NodeServer, wasServing } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import { type ServerReading, serverKey } from '../../model/balancer.ts'
import type { HealthCheckSpec } from '../../model/health-check.ts'
import { markedStates } from '../../model/marked-states.ts'
import { markOn } from '../../model/node-mark.ts'
import type { Actuator } from '../actuator.ts'
import { checkStaysGood, checkUnknown, detectionTime, isUnheard } from './check-reasons.ts'
import { notice } from './notice.ts'

/**
 * Load balancers that have nothing but a health check, without agents. A mark on the Node makes the check fail: kube-proxy or
 * an ingress goes by it. The roll asks the same check, and waits from its first refusal for as long as the slowest balancer may
 * take. A mark of others is never replaced and never removed.
 */
export const healthCheck = (spec: HealthCheckSpec): Actuator => ({
  asAsked: (instance, nodeOf) => {
    const { reading } = instance
    if (reading === undefined) return instance
    const servers = reading.servers.map((server) => asMarked(server, nodeOf(server.ref.server), spec))
    return { ...instance, reading: { ...reading, servers } }
  },
  asUsed: (_s, instance) => {
    const { reading } = instance
    if (reading === undefined) return instance
    const servers = reading.servers.map((server) => asUsed(server, reading.at, spec))
    return { ...instance, reading: { ...reading, servers } }
  },
  // A node that was out before goes back to what its owner wants then. If the roll has replaced that owner's mark, its own
  // stays, since nothing shows whose it was.
  before: (_s, { recorded, reading }) =>
    recorded.state === 'ready' || reading === undefined ? recorded.state : reading.ownState,
  whenOut: () => 'drain',
  through: () => undefined,
  move: (s, { recorded, ref }, to) => ({
    kind: 'setNodeMark',
    node: s.node.name,
    balancer: recorded.balancer,
    ref,
    mark: spec.mark,
    ...to,
  }),
  isNotSet: (_s, place) => place.reading?.ownState === 'ready',
  isOverwritten: () => false,
  keepsRequest: () => false,
  mayBeUndone: () => undefined,
  unheard: ({ reading, instance }) => (isUnheard(reading) ? checkUnknown(reading, instance.balancer) : undefined),
  untaken: (s, place) => (isMarked(place) ? unrefused(s, place, spec) : undefined),
  unnoticed: (s, place, way) => (isAwaited(s, place, way) ? awaited(place, way, spec) : undefined),
  heldByOthers: (s) => markedByOthers(s, spec),
  holdsDeadConnections: () => false,
  awaitsClosing: () => false,
  isBusy: (s, place) => isMarked(place) && !s.announced && endOf(s, place) === undefined,
  left: () => 'unknown',
  canCut: false,
  notice: (s, { reading }, before) => notice(before, { reading, spec, now: s.now }),
  endConnections: (s, place, before) => before ?? endOf(s, place),
})

const isMarked = ({ reading }: NodeServer): boolean => reading !== undefined && reading.ownState !== 'ready'

function asMarked(server: ServerReading, node: Node | undefined, { mark }: HealthCheckSpec): ServerReading {
  if (node === undefined || server.nodeCheck === undefined) return server
  return { ...server, ...markedStates(markOn(node, mark) !== 'absent', server.nodeCheck) }
}

/** A balancer sends to a node only after enough of its checks have passed. */
function asUsed(server: ServerReading, at: number, { checks }: HealthCheckSpec): ServerReading {
  const { nodeCheck, operational } = server
  if (operational !== 'up' || nodeCheck?.asked !== true || nodeCheck.goodSince === undefined) return server
  return at - nodeCheck.goodSince < returnMs(checks) ? { ...server, operational: 'starting' } : server
}

/** What was noticed; undefined where that is about the other way. */
function seenOf(s: ServiceSnapshot, { ref }: NodeServer, way: Noticing['way']): Noticing | undefined {
  const seen = s.evidence.noticing[serverKey(ref)]
  return seen?.way === way ? seen : undefined
}

/**
 * Why the check does not show that the node refuses. Silence shows nothing until the balancers have left; after that the pods
 * that answered may leave, and the machine may reboot.
 */
function unrefused(s: ServiceSnapshot, place: NodeServer, spec: HealthCheckSpec): Reason | undefined {
  const { reading, recorded } = place
  if (reading?.nodeCheck?.asked !== true || reading.nodeCheck.answer === 'refused') return undefined
  const seen = seenOf(s, place, 'out')
  if (reading.nodeCheck.answer === 'good') {
    const forMs = seen === undefined ? 0 : s.now - seen.since
    return checkStaysGood(reading, { spec, isLate: forMs >= spec.markDelayMs })
  }
  const isGone = s.announced || seen?.noticed !== undefined
  return isGone || !isUnheard(reading) ? undefined : checkUnknown(reading, recorded.balancer)
}

/** After the announcement of the reboot nothing is waited for again; nor for a node that did not serve before. */
function isAwaited(s: ServiceSnapshot, place: NodeServer, way: Noticing['way']): boolean {
  if (place.reading === undefined || (way === 'out' ? s.announced : !wasServing(place.recorded))) return false
  return seenOf(s, place, way)?.noticed === undefined
}

const awaited = ({ reading, recorded, ref }: NodeServer, way: Noticing['way'], spec: HealthCheckSpec): Reason =>
  way === 'in' && isUnheard(reading) ? checkUnknown(reading, recorded.balancer) : detectionTime(ref.server, way, spec)

/** Connections cannot be counted from here: the limit ends the wait, and those that are left end with their pods. */
function endOf(s: ServiceSnapshot, place: NodeServer): ConnectionsEnd | undefined {
  const since = seenOf(s, place, 'out')?.noticed?.at
  if (since === undefined || s.now - since < s.limits.idleLimitMs) return undefined
  return { by: 'limit', left: 'unknown', since, at: s.now }
}

function markedByOthers({ node }: ServiceSnapshot, { mark }: HealthCheckSpec): Reason | undefined {
  if (markOn(node, mark) !== 'others') return undefined
  const { kind, key } = mark
  const verb = kind === 'taint' ? 'taint' : kind === 'label' ? 'label' : 'annotate'
  return {
    code: 'MarkOfOthers',
    object: node.name,
    text: `the ${kind} ${key} of ${node.name} has another value than the one this roll set`,
    next: say`once no one else wants ${node.name} out: ${kubectl`${verb} node ${node.name} ${key}-`}`,
  }
}
