import type { PathReading } from './path-reading.ts'
import type { UdpSeen } from './udp-seen.ts'

/**
 * All that is known about a cluster's DNS at one moment. It is the input of the diagnosis, and can be recorded and read again.
 */
export interface DnsScene {
  readonly api: 'answers' | 'away'
  readonly service: SceneService
  readonly pods: readonly ScenePod[]
  /** The nodes with a pod of DNS. */
  readonly nodes: readonly { readonly name: string; readonly ready: boolean }[]
  /**
   * NodeLocal caches answer on the Service's address on each node: the answers there come from the caches and not from CoreDNS.
   */
  readonly nodeLocal: boolean
  /** It may hide names, and could not be read. Absent: it was, or there is none. */
  readonly isCorefileUnread?: true
  readonly vantages: readonly SceneVantage[]
  readonly paths: readonly Path[]
}

interface SceneService {
  readonly namespace: string
  readonly name: string
  /** Its cluster IPs. */
  readonly addresses: readonly string[]
  /** Absent: it has no UDP port for DNS. */
  readonly udpPort?: number
  /** Absent: it has no TCP port for DNS. */
  readonly tcpPort?: number
  /** Pods that its selector picks; absent: it has no selector. */
  readonly selected?: number
  /** Those of them that wait for a node or an image. Absent: it has no selector. */
  readonly pending?: number
  /** The number of serving pods by its EndpointSlices, each once, and of endpoints that are not pods. */
  readonly serving: number
  /** Because of session affinity or a traffic policy, not every node reaches every endpoint. */
  readonly isUneven: boolean
  /** Its internal traffic policy is `Local`: from a node only the endpoints of that node are reached. Absent: it is not. */
  readonly isLocal?: true
  /** Its external traffic policy is `Local`: outside, a node leads to its own endpoints alone. Absent: it is not. */
  readonly isLocalOutside?: true
}

export interface ScenePod {
  readonly name: string
  readonly uid: string
  readonly node?: string
  readonly addresses: readonly string[]
  readonly port: number
  readonly ready: boolean
  readonly terminating: boolean
  readonly endpoint: 'serving' | 'notServing' | 'absent'
  /** A container of it began less than a minute ago: it may be ill because it is not done with its start. */
  readonly justStarted?: true
  /**
   * The pod is not Ready and does not serve. `starting`: its container has run for less than a minute; `down`: no container runs.
   */
  readonly isAway?: 'starting' | 'down'
  /** Of a pod that is `down`: why its containers ended the last time (`Error`, `OOMKilled`). Absent: none has run. */
  readonly endedBy?: readonly string[]
  /** The answer on its own loopback, past the pod network. Absent: not queried. */
  readonly process?: 'answers' | 'silent'
  /** How long an answer over UDP took that came later than queries wait. Absent: none came, or it was not waited for. */
  readonly answersAfterMs?: number
  /** Another port, to which the Service does not lead, where it answers over UDP. Absent: none is known. */
  readonly answersAt?: number
  /** Whether other pods of its node are reached. Absent: none was queried. */
  readonly neighbours?: 'reached' | 'notReached'
  /** By two readings of the pod's own counters. Absent: not read, or the pod restarted between the two. */
  readonly udpSeen?: UdpSeen
}

/** Where queries are sent from. */
export interface SceneVantage {
  readonly name: string
  /** Absent: outside of the cluster. */
  readonly node?: string
  /**
   * Whether the vantage reaches a target that does not depend on DNS. `fails`: its readings of DNS do not count. `partly`: it fails
   * too, but some pods or addresses of DNS answer there, and what answers counts (`countedPaths`).
   */
  readonly control: 'answers' | 'partly' | 'fails' | 'notAsked'
  /**
   * `portForward`: over TCP on the pod's own loopback, so UDP cannot be tested. `outside`: by sockets, only to the Service's
   * addresses outside of the cluster. Absent: by sockets, to pods and Service.
   */
  readonly way?: 'portForward' | 'outside'
}

export type Target =
  /** `address`: which one, where it has several. */
  | { readonly kind: 'pod'; readonly name: string; readonly address?: string }
  | { readonly kind: 'service'; readonly name: string }
  | { readonly kind: 'cache'; readonly name: string }
  /** The Service where it is reached from outside: a node port, a load balancer, an external IP. */
  | { readonly kind: 'exposed'; readonly name: string }

/** The name of the target, with its address if the pod has several. It is unique among targets of a kind. */
export const targetName = (target: Target): string =>
  target.kind === 'pod' && target.address !== undefined ? `${target.name} ${target.address}` : target.name

export interface Path {
  readonly vantage: string
  readonly target: Target
  readonly reading: PathReading
  /** The result of queries that all leave from one port, if they were sent. */
  readonly canary?: 'answers' | 'silent'
}

/** A path with the place that it begins at. */
export type PathFrom = Path & { readonly from: SceneVantage }

/**
 * The paths whose readings say something about DNS. Nothing is said by a place that fails its control, nor by a path that could not be
 * asked over UDP. From a place that reaches its control in part, silence may be that of the way. So a pod that is silent there
 * counts only if TCP reaches it and UDP reaches another pod: both ways are open then.
 */
export function countedPaths({ vantages, paths }: Pick<DnsScene, 'vantages' | 'paths'>): readonly PathFrom[] {
  return vantages
    .filter(({ control }) => control !== 'fails')
    .flatMap((from) => {
      const asked = paths.filter(({ vantage, reading }) => vantage === from.name && reading.udp !== 'notAsked')
      const passesUdp = asked.some(({ target, reading }) => target.kind === 'pod' && isAnswered(reading))
      const counts = ({ target, reading }: Path): boolean =>
        from.control !== 'partly' ||
        target.kind !== 'pod' ||
        isAnswered(reading) ||
        (passesUdp && reading.tcp === 'answers')
      return asked.filter(counts).map((path) => ({ ...path, from }))
    })
}

/** Over UDP, to some of the queries at least. */
const isAnswered = ({ udp }: PathReading): boolean => udp === 'answers' || udp === 'loses'
