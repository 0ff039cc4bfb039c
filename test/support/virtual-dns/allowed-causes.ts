import type { DnsFault, FaultKind } from './dns-faults.ts'

/** Of any world: what was not seen, or is about to be over. */
const ALWAYS = [
  'Healthy',
  'HealthyFromOutside',
  'PodStarting',
  'VantageCutOff',
  'PlaceRefused',
  'ZoneUnanswered',
  'NotAsked',
  'UdpUnseen',
  'UdpObserved',
]

const ALL_SILENT = ['OnlyPodDead', 'UdpDropped', 'AllPodsSilent']
const SILENT_POD = ['PodNetworkDead', 'NodeNetworkDead', ...ALL_SILENT]
/** What is seen from one side of a node alone. */
const FROM_SOME = ['SeenFromSomePlaces', 'ProxyStale', 'DeadEndpointKept', 'CrossNodeUdp', 'ServiceWrong']

/** What each fault may be called, by whoever sees it. */
const BY_FAULT: Readonly<Record<FaultKind, readonly string[]>> = {
  udpDead: ['UdpDead', ...ALL_SILENT],
  tcpDead: ['TcpDead', 'ServiceTcpDead'],
  podSilent: SILENT_POD,
  hung: ['ProcessHung', ...SILENT_POD],
  // A cache keeps what it was told by a pod that knew no better.
  stale: ['DataStale', 'DataStaleEverywhere', 'CacheIll'],
  upstreamOfOne: ['UpstreamOfOne', 'UpstreamDown'],
  loses: ['Loses'],
  late: ['AnswersLate', 'Slow', 'DeadEndpointKept', ...ALL_SILENT],
  slow: ['Slow'],
  wrongSource: ['ReplyFromElsewhere', ...ALL_SILENT],
  truncates: [],
  overlayDead: [...SILENT_POD, ...FROM_SOME],
  nodeCut: [...SILENT_POD, ...FROM_SOME],
  nodeDown: ['NodeDown', 'NoEndpointsProgrammed', ...SILENT_POD, ...FROM_SOME],
  // A cache asks the Service behind it by the same rules.
  proxyStale: ['ProxyStale', 'ServiceWrong', 'ServiceIll', 'CacheIll'],
  refusedPlace: ['SeenFromSomePlaces', 'DataStaleEverywhere', 'CacheIll'],
  udpOut: [...FROM_SOME, ...ALL_SILENT, 'CacheDead'],
  // Of one pod alone nobody knows whether the way loses.
  placeLoses: ['LosesOnTheWay', 'Loses', 'CacheIll'],
  cacheDead: ['CacheDead'],
  proxyFrozen: [
    'CacheIll',
    'DeadEndpointKept',
    'ProxyStale',
    'ServiceTcpDead',
    'ServiceWrong',
    'Loses',
    'LosesOnTheWay',
    'NoEndpointsProgrammed',
  ],
  wrongTarget: ['ServiceIll', 'ServiceWrong', 'NoEndpointsProgrammed'],
  noUdpPort: ['ServiceWrong'],
  wrongSelector: ['NoPods'],
  noReplicas: ['NoPods', 'ServiceIll'],
  upstreamDown: ['UpstreamDown'],
  crossUdp: ['CrossNodeUdp', 'SeenFromSomePlaces', 'UdpDead', ...ALL_SILENT, ...FROM_SOME],
  truncatesAll: [],
  apiAway: ['DataStaleEverywhere'],
  ipv6Dead: ['AddressSilent', 'ProxyStale', 'ServiceWrong', ...SILENT_POD],
}

/** While pods come and go, what is listed and what is programmed differ for a moment. */
const IN_CHANGE = [
  'NotReady',
  'NotRunning',
  'EndpointMissing',
  'NodeDown',
  'DeadEndpointKept',
  'NoEndpointsProgrammed',
  'NoLocalEndpoint',
  'ServiceIll',
]

/** What begins or ends within a check has it see a part of the fault. */
const IN_PART = [
  'Loses',
  'LosesOnTheWay',
  'DeadEndpointKept',
  'ServiceAnswersWrong',
  'ServiceTcpDead',
  'AddressSilent',
  'SeenFromSomePlaces',
  'UpstreamOfOne',
  'UpstreamDown',
]

interface Moment {
  readonly isSteady: boolean
  /** All of the faults were there for all of the check. */
  readonly isSame: boolean
  /** It asked each way so often that it knows whose loss it is. */
  readonly seesLoss: boolean
  readonly isOutside: boolean
  readonly hasCaches: boolean
}

/** What a place beside the cluster says of any fault. */
const FROM_OUTSIDE = ['UdpSuspect', 'ExposedUdpDead', 'ExposedLoses', 'ExposedWrong']

/** What two faults look like together, of which each would look otherwise alone. */
const TOGETHER: readonly (readonly [one: FaultKind, other: readonly FaultKind[], seen: readonly string[]])[] = [
  ['tcpDead', ['crossUdp', 'udpOut'], SILENT_POD],
  ['wrongTarget', ['loses', 'late', 'slow', 'udpDead'], SILENT_POD],
  // Of two pods one is silent anyway, and a place alone does not know whether it is itself that keeps it from the other.
  ['udpOut', ['hung', 'podSilent', 'overlayDead', 'nodeCut', 'nodeDown'], ['UdpDead']],
]

const seenTogether = (faults: readonly DnsFault[]): readonly string[] => {
  const kinds = new Set(faults.map(({ kind }) => kind))
  return TOGETHER.flatMap(([one, others, seen]) =>
    kinds.has(one) && others.some((other) => kinds.has(other)) ? seen : [],
  )
}

/** Which findings a check may have had. */
export function allowedCauses(
  faults: readonly DnsFault[],
  { isSteady, isSame, seesLoss, isOutside, hasCaches }: Moment,
): ReadonlySet<string> {
  const ofOnePod = Map.groupBy(faults, ({ pod = '' }) => pod)
  return new Set([
    ...ALWAYS,
    ...faults.flatMap(({ kind }) => BY_FAULT[kind]),
    ...[...ofOnePod].flatMap(([pod, both]) => (pod !== '' && both.length > 1 ? ['AnswersLate', ...SILENT_POD] : [])),
    ...(isSteady ? [] : IN_CHANGE),
    // A pod that leaves is asked no more, and its endpoint is there for a moment.
    ...(!isSteady && faults.some(({ kind }) => kind === 'stale') ? ['ServiceAnswersWrong'] : []),
    ...(isSame ? [] : IN_PART),
    ...(!seesLoss && faults.some(({ kind }) => kind === 'loses' || kind === 'placeLoses') ? IN_PART : []),
    ...(isOutside && faults.length > 0 ? FROM_OUTSIDE : []),
    ...(hasCaches && faults.length > 0 ? ['CacheMasks', 'CacheIll'] : []),
    ...seenTogether(faults),
  ])
}

/** Findings that say of a pod that it is itself at fault. */
const OF_POD = new Set([
  'UdpDead',
  'TcpDead',
  'PodNetworkDead',
  'ProcessHung',
  'DataStale',
  'Loses',
  'AnswersLate',
  'UpstreamOfOne',
])
export const isOfPod = (code: string): boolean => OF_POD.has(code)

/** Whether a pod on that node is ill, or looks so, by that fault. */
export const concerns = (fault: DnsFault, { uid, node }: { readonly uid: string; readonly node: string }): boolean =>
  fault.pod === undefined
    ? fault.node === undefined || fault.node === node || IS_OF_PLACES.has(fault.kind)
    : fault.pod === uid

/** What makes other pods look ill to those on a node. */
const IS_OF_PLACES: ReadonlySet<FaultKind> = new Set(['overlayDead', 'nodeCut', 'udpOut', 'placeLoses', 'refusedPlace'])

/** By which a pod that a repair touches does not serve. */
export const ENDS_SERVICE: ReadonlySet<FaultKind> = new Set([
  'udpDead',
  'tcpDead',
  'podSilent',
  'hung',
  'stale',
  'overlayDead',
  'nodeCut',
  'nodeDown',
])
