import { CAUSES, type CauseCode } from '../../../dns/decide/causes.ts'
import type { DnsFinding } from '../../../dns/decide/diagnosis/finding.ts'
import type { PathReading } from '../../../dns/decide/path-reading.ts'
import type { DnsReading } from './dns-readings.ts'

interface Policy {
  /** Before a node leaves. `says`: a warning is printed, and the node leaves. `unknown`: the finding shows nothing. */
  readonly leaving: 'holds' | 'says' | 'unknown' | 'nothing'
  /** Before a node that was rebooted serves again. `here`: the finding holds if it is about that node. */
  readonly back: 'holds' | 'here' | 'nothing'
}

const ONE_POD: Policy = { leaving: 'holds', back: 'here' }
const SHARED: Policy = { leaving: 'holds', back: 'holds' }
const ONE_PLACE: Policy = { leaving: 'holds', back: 'here' }
const SAID: Policy = { leaving: 'says', back: 'nothing' }
const UNKNOWN: Policy = { leaving: 'unknown', back: 'nothing' }

/**
 * What a roll does about each finding of a check. A pod that is ill on another node does not keep a node out that is back: that
 * would only leave fewer nodes to serve, and no further node is begun anyway.
 */
const POLICIES: Readonly<Record<CauseCode, Policy>> = {
  Healthy: { leaving: 'nothing', back: 'nothing' },
  UdpDead: ONE_POD,
  PodNetworkDead: ONE_POD,
  NodeNetworkDead: ONE_POD,
  ProcessHung: ONE_POD,
  DataStale: ONE_POD,
  DataStaleEverywhere: SHARED,
  CrossNodeUdp: SHARED,
  ServiceWrong: SHARED,
  NoPods: SHARED,
  UdpDropped: SHARED,
  OnlyPodDead: SHARED,
  AllPodsSilent: SHARED,
  ProxyStale: ONE_PLACE,
  NoEndpointsProgrammed: ONE_PLACE,
  ReplyFromElsewhere: ONE_PLACE,
  CacheDead: ONE_PLACE,
  // Clients already lose answers, and would lose more with one pod less.
  Loses: ONE_POD,
  LosesOnTheWay: ONE_PLACE,
  AnswersLate: ONE_POD,
  ReplyUnmatched: ONE_POD,
  SeenFromSomePlaces: ONE_POD,
  AddressSilent: ONE_POD,
  DeadEndpointKept: ONE_PLACE,
  // The node budget has guards for a node that is down.
  NodeDown: SAID,
  // These pods answer, or would; their fault costs no client an answer over UDP.
  EndpointMissing: SAID,
  NotReady: SAID,
  NotRunning: SAID,
  TcpDead: SAID,
  // Its clients get their answers.
  Slow: SAID,
  // The pods behind the cache have findings of their own.
  CacheMasks: SAID,
  // Names outside of the cluster fail on every node alike.
  UpstreamOfOne: SAID,
  UpstreamDown: SAID,
  VantageCutOff: { leaving: 'unknown', back: 'here' },
  PodStarting: { leaving: 'nothing', back: 'nothing' },
  NoLocalEndpoint: ONE_PLACE,
  ServiceIll: SHARED,
  ServiceAnswersWrong: SHARED,
  ServiceTcpDead: SAID,
  CacheIll: ONE_PLACE,
  // A fault at the exposed address of the Service is not the fault of a node.
  ExposedUdpDead: { leaving: 'holds', back: 'nothing' },
  ExposedLoses: { leaving: 'holds', back: 'nothing' },
  ExposedWrong: { leaving: 'holds', back: 'nothing' },
  HealthyFromOutside: { leaving: 'nothing', back: 'nothing' },
  // Counters of pods are indirect evidence, for either side.
  UdpObserved: UNKNOWN,
  UdpSuspect: SAID,
  UdpUnseen: UNKNOWN,
  PlaceRefused: UNKNOWN,
  NotAsked: UNKNOWN,
  ZoneUnanswered: UNKNOWN,
}

/** The policy by the table. Exception: if only the assumed zone is not known, the names that were asked for may not exist. */
export function policyOf(reading: DnsReading, finding: DnsFinding): Policy {
  if (!reading.isZoneAssumed || !(finding.code === 'DataStale' || finding.code === 'DataStaleEverywhere'))
    return POLICIES[finding.code]
  const pods = new Set(finding.subjects.map(({ name }) => name))
  const isZonesOwn = reading.scene.paths
    .filter(({ target }) => target.kind === 'pod' && pods.has(target.name))
    .every(({ reading: { data } }) => ZONE_DATA.has(data))
  return isZonesOwn ? UNKNOWN : POLICIES[finding.code]
}

const ZONE_DATA: ReadonlySet<PathReading['data']> = new Set([
  'noKubernetes',
  'wrongZone',
  'refused',
  'unanswered',
  'unknown',
])

/** One finding in a sentence. */
export function findingText({ code, subjects }: DnsFinding): string {
  const { is } = CAUSES[code]
  const who = subjects.map(({ kind, name }) => `${kind} ${name}`)
  const more = who.length > NAMED_MAX ? ` and ${who.length - NAMED_MAX} more` : ''
  return `${code}, ${who.slice(0, NAMED_MAX).join(', ')}${more}: ${is}`
}

const NAMED_MAX = 3
