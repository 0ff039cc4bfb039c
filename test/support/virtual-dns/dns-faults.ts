import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'

/** Of one pod: another one in its place is well. */
export const POD_FAULTS = [
  'udpDead',
  'tcpDead',
  'podSilent',
  'hung',
  'stale',
  'upstreamOfOne',
  'loses',
  'late',
  'slow',
  'wrongSource',
  'truncates',
] as const
/** Of one node, or of what runs on it. */
export const NODE_FAULTS = [
  'overlayDead',
  'nodeCut',
  'nodeDown',
  'proxyStale',
  'refusedPlace',
  'udpOut',
  'placeLoses',
  'cacheDead',
  'proxyFrozen',
] as const
export const SHARED_FAULTS = ['upstreamDown', 'crossUdp', 'truncatesAll', 'apiAway', 'ipv6Dead'] as const
/** Of the objects of DNS: each place sees them. */
export const OBJECT_FAULTS = ['wrongTarget', 'noUdpPort', 'wrongSelector', 'noReplicas'] as const

export type FaultKind =
  | (typeof POD_FAULTS)[number]
  | (typeof NODE_FAULTS)[number]
  | (typeof SHARED_FAULTS)[number]
  | (typeof OBJECT_FAULTS)[number]

/** As it is drawn. */
export interface DrawnFault {
  readonly kind: FaultKind
  readonly fromMs: number
  readonly toMs: number
  /** Which pod or node of those that are there then. */
  readonly pick: number
  /** Of packets that are lost. */
  readonly share: number
}

/** As it is in force, with what it is about. */
export interface DnsFault extends DrawnFault {
  /** The uid of a pod. */
  readonly pod?: string
  readonly node?: string
}

/** Where a program of the cluster, or beside it, sends queries from. */
export interface Place {
  /** Of the process that asks there. */
  readonly owner: string
  readonly name: string
  /** Absent: outside of the cluster. */
  readonly node?: string
  /** Of the network of its node; else of the pod network. */
  readonly isHost: boolean
  /** It has no address of that family. */
  readonly lacksIpv6?: true
}

/** One message on its way from a place to a server. */
export interface Leg {
  readonly place: Place
  readonly over: 'udp' | 'tcp'
  /** `api`: the API server at its cluster IP; else a pod. */
  readonly to: 'api' | Target
  /** By the address of a Service. */
  readonly isByService: boolean
  readonly isIpv6: boolean
}

interface Target {
  /** Of a pod of DNS; of a cache its name. */
  readonly uid: string
  readonly node: string
  /** It has the address of its node. */
  readonly isHost: boolean
}

/** What becomes of a message beyond what it is without a fault. */
export interface Effect {
  /** It does not arrive, with that chance. */
  readonly lost?: number
  /** It arrives, and is not answered. */
  readonly isMute?: boolean
  readonly lateMs?: number
  readonly isFromElsewhere?: boolean
  readonly isRefused?: boolean
  readonly isTruncated?: boolean
}

const LOST: Effect = { lost: 1 }
const LATE_MS = 2_000
const SLOW_MS = 600

/** The name of a cache as a target. */
export const cacheOn = (node: string | undefined): string => `cache ${node}`

type Rule = (fault: DnsFault, leg: Leg) => Effect | undefined

const atPod =
  (effect: (fault: DnsFault, leg: Leg) => Effect | undefined): Rule =>
  (fault, leg) =>
    leg.to !== 'api' && leg.to.uid === fault.pod ? effect(fault, leg) : undefined

/** Whether it passes from a node to another one, or from outside. */
const isBetweenNodes = ({ place, to }: Leg): boolean => to !== 'api' && place.node !== to.node
/** To the address of a pod: what the network of nodes carries for the pod network. */
const isInOverlay = (leg: Leg): boolean => isBetweenNodes(leg) && leg.to !== 'api' && !leg.to.isHost
const touches = (fault: DnsFault, { place, to }: Leg): boolean =>
  place.node === fault.node || (to !== 'api' && to.node === fault.node)

const NOTHING: Rule = () => undefined

const RULES: Readonly<Record<FaultKind, Rule>> = {
  udpDead: atPod((_, { over }) => (over === 'udp' ? LOST : undefined)),
  tcpDead: atPod((_, { over }) => (over === 'tcp' ? LOST : undefined)),
  podSilent: atPod(() => LOST),
  hung: atPod(() => ({ isMute: true })),
  stale: NOTHING,
  upstreamOfOne: NOTHING,
  loses: atPod(({ share }, { over }) => (over === 'udp' ? { lost: share } : undefined)),
  late: atPod(() => ({ lateMs: LATE_MS })),
  slow: atPod(() => ({ lateMs: SLOW_MS })),
  wrongSource: atPod((_, { over, isByService }) =>
    over === 'udp' && !isByService ? { isFromElsewhere: true } : undefined,
  ),
  truncates: atPod((_, { over }) => (over === 'udp' ? { isTruncated: true } : undefined)),
  overlayDead: (fault, leg) => (isInOverlay(leg) && touches(fault, leg) ? LOST : undefined),
  nodeCut: (fault, leg) => {
    const isOwnPod = leg.place.node === fault.node && !leg.place.isHost
    return (isBetweenNodes(leg) && touches(fault, leg)) || (leg.to === 'api' && isOwnPod) ? LOST : undefined
  },
  nodeDown: NOTHING,
  proxyStale: ({ node }, { place, isByService, to }) =>
    place.node === node && isByService && to !== 'api' && to.uid !== cacheOn(node) ? LOST : undefined,
  refusedPlace: ({ node }, { place, to }) =>
    place.node === node && to !== 'api' && to.uid !== cacheOn(node) ? { isRefused: true } : undefined,
  udpOut: ({ node }, { place, over }) => (place.node === node && over === 'udp' ? LOST : undefined),
  placeLoses: ({ node, share }, { place, over }) =>
    place.node === node && over === 'udp' ? { lost: share } : undefined,
  cacheDead: ({ node }, { to }) => (to !== 'api' && to.uid === cacheOn(node) ? LOST : undefined),
  proxyFrozen: NOTHING,
  wrongTarget: NOTHING,
  noUdpPort: NOTHING,
  wrongSelector: NOTHING,
  noReplicas: NOTHING,
  upstreamDown: NOTHING,
  crossUdp: (_, leg) => (leg.over === 'udp' && isInOverlay(leg) ? LOST : undefined),
  truncatesAll: (_, { over, to }) => (over === 'udp' && to !== 'api' ? { isTruncated: true } : undefined),
  apiAway: NOTHING,
  ipv6Dead: (_, { isIpv6, to, place }) => (isIpv6 && to !== 'api' && to.uid !== cacheOn(place.node) ? LOST : undefined),
}

/** What all faults together make of it. */
export function effectOf(faults: Iterable<DnsFault>, leg: Leg): Effect {
  let whole: Effect = {}
  for (const fault of faults) {
    const one = RULES[fault.kind](fault, leg)
    if (one === undefined) continue
    whole = {
      ...whole,
      ...one,
      lost: 1 - (1 - (whole.lost ?? 0)) * (1 - (one.lost ?? 0)),
      lateMs: (whole.lateMs ?? 0) + (one.lateMs ?? 0),
    }
  }
  return whole
}

/** Whether a query that waits a second has no answer that it can use, for certain. */
export const isBroken = ({ lost = 0, isMute = false, lateMs = 0, isFromElsewhere = false }: Effect): boolean =>
  lost === 1 || isMute || lateMs >= 1_000 || isFromElsewhere

/** Whether a check that asks so surely sees that some are lost. */
export const isLossy = ({ lost = 0 }: Effect): boolean => lost >= 0.15

export const isLostNow = ({ lost = 0 }: Effect, random: SeededRandom): boolean =>
  lost === 1 || (lost > 0 && random.next() < lost)
