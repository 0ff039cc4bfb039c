/** What the API says of a Service that may be that of DNS. */
export interface DnsService {
  readonly namespace: string
  readonly name: string
  /** Cluster IPs of each family; empty for a headless one. */
  readonly addresses: readonly string[]
  readonly ports: readonly DnsServicePort[]
  /** Absent: Kubernetes does not write its endpoints. */
  readonly selector?: Readonly<Record<string, string>>
  /** Where it is reached from outside: addresses of load balancers and external IPs. */
  readonly outsideAddresses: readonly string[]
  /** Session affinity, or a traffic policy other than to all endpoints. */
  readonly isUneven: boolean
  /** Its internal traffic policy is `Local`: from a node only the endpoints of that node are reached. Absent: it is not. */
  readonly isLocal?: true
  /** Its external traffic policy is `Local`: outside, a node leads to its own endpoints alone. Absent: it is not. */
  readonly isLocalOutside?: true
  /** ISO 8601. */
  readonly createdAt: string
}

export interface DnsServicePort {
  readonly name: string
  readonly protocol: string
  readonly port: number
  /** A number, or the name of a container's port; absent where it is that of `port`. */
  readonly targetPort?: string
  readonly nodePort?: number
}

export interface DnsPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly node?: string
  readonly addresses: readonly string[]
  readonly phase: string
  readonly ready: boolean
  readonly terminating: boolean
  readonly images: readonly string[]
  /** Its container ports over UDP. Absent: it names none. */
  readonly udpPorts?: readonly number[]
  /** The container port that is called `metrics`; absent where none is. */
  readonly metricsPort?: number
  /** ConfigMaps that it mounts: the Corefile is in one of them. */
  readonly configMaps: readonly string[]
  /** Why its containers ended the last time, if they did: `OOMKilled`. */
  readonly endedBy: readonly string[]
  /** ISO 8601: since when the container that was started last runs. Absent: one of them does not run. */
  readonly runningSince?: string
}

/** Endpoints of a Service, of all its EndpointSlices. */
export interface DnsEndpoint {
  readonly addresses: readonly string[]
  readonly serving: boolean
  /** The port over UDP; absent: the slice has none. */
  readonly udpPort?: number
  readonly podUid?: string
}

export interface DnsNode {
  readonly name: string
  readonly ready: boolean
  readonly addresses: readonly string[]
  /** The node does not run Linux, or is a virtual kubelet: no relay runs there. */
  readonly runsNoRelay?: true
}
