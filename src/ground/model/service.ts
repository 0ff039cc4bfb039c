/** The fields of a core/v1 Service that are used. */
export interface Service {
  readonly namespace: string
  readonly name: string
  readonly type: string
  readonly selector: Readonly<Record<string, string>>
  /** Without an address of its own: clients ask DNS for the pods. */
  readonly headless?: boolean
  /** Pods get traffic before they are Ready. */
  readonly publishesNotReady?: boolean
  /** externalTrafficPolicy / internalTrafficPolicy: `Local` keeps traffic on the node that it reached. */
  readonly externalTrafficPolicy: string
  readonly internalTrafficPolicy: string
  readonly nodePorts: readonly number[]
}

/** One discovery.k8s.io/v1 EndpointSlice, reduced to its endpoints and their addresses. */
export interface EndpointSlice {
  readonly namespace: string
  readonly name: string
  readonly serviceName: string
  /** At each address of each endpoint. */
  readonly ports: readonly number[]
  readonly endpoints: readonly {
    readonly addresses: readonly string[]
    readonly ready: boolean
    readonly serving: boolean
    readonly terminating: boolean
    readonly nodeName?: string
    readonly podUid?: string
  }[]
}
