import type { PathReading } from './path-reading.ts'
import type { UdpSeen } from './udp-seen.ts'

/** All that is known of a cluster's DNS at one moment: what is diagnosed, and what can be recorded and read again. */
export interface DnsScene {
  readonly api: 'answers' | 'away'
  readonly service: SceneService
  readonly pods: readonly ScenePod[]
  /** Those that bear a pod of DNS. */
  readonly nodes: readonly { readonly name: string; readonly ready: boolean }[]
  /** NodeLocal caches answer on the Service's address on each node: what it says is theirs, not CoreDNS's. */
  readonly nodeLocal: boolean
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
  /** Pods that serve by its EndpointSlices, each once, and endpoints that are no pods. */
  readonly serving: number
  /** By session affinity or a traffic policy not every endpoint is reached from each node. */
  readonly isUneven: boolean
  /** Its internal traffic policy is `Local`: from a node only the endpoints of that node are reached. Absent: it is not. */
  readonly isLocal?: true
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
  /** Not Ready and not serving: `starting` where its container runs for less than a minute, `down` where none runs. */
  readonly isAway?: 'starting' | 'down'
  /** Asked over its own loopback, past the pod network. Absent: not asked. */
  readonly process?: 'answers' | 'silent'
  /** Whether other pods of its node are reached. Absent: none was asked. */
  readonly neighbours?: 'reached' | 'notReached'
  /** By its own counters, read twice. Absent: not read, or started anew between the two. */
  readonly udpSeen?: UdpSeen
}

/** Where queries are sent from. */
export interface SceneVantage {
  readonly name: string
  /** Absent: outside of the cluster. */
  readonly node?: string
  /** Whether it reaches what has nothing to do with DNS. `fails`: what it says of DNS is worth nothing. */
  readonly control: 'answers' | 'fails' | 'notAsked'
  /**
   * `portForward`: over TCP and on the pod's own loopback, so that nothing is seen of UDP. `outside`: by sockets, to the addresses
   * that the Service has for outside alone. Absent: by sockets, to pods and Service.
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

/** Its name, with its address where it has several: what tells one target of a kind from another. */
export const targetName = (target: Target): string =>
  target.kind === 'pod' && target.address !== undefined ? `${target.name} ${target.address}` : target.name

export interface Path {
  readonly vantage: string
  readonly target: Target
  readonly reading: PathReading
  /** Queries that all leave from one port, where they were asked. */
  readonly canary?: 'answers' | 'silent'
}
