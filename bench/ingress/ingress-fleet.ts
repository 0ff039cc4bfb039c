/** A status write of an IngressDaemonSet. */
export interface StatusWrite {
  readonly object: string
  /** Nodes that the status lists. */
  readonly nodes: readonly string[]
  /** When this process heard of it, on the monotonic clock. */
  readonly atMs: number
}

/** Where a controller runs. */
export interface ControllerPlace {
  /** The command that runs a program there. */
  enter(argv: readonly string[]): readonly string[]
  /** A port of this machine's loopback that leads to that port of the loopback there. */
  reach(port: number): Promise<number>
}

/** A cluster with a fleet of Nodes that no machine stands for, as `bench/ingress.ts` needs it. */
export interface IngressFleet extends ControllerPlace {
  readonly nodes: readonly string[]
  /** Of the controller. */
  readonly kubeconfig: string
  readonly pods: number
  addObject(name: string): Promise<void>
  /** Each status write of an IngressDaemonSet, from now on. */
  onStatus(heard: (write: StatusWrite) => void): void
  /** All nodes are as every object wants them. */
  isSettled(): Promise<boolean>
  /** Writes that the controllers asked for up to now, but those of the leader's Lease. */
  writes(): Promise<number>
  /**
   * How many changes were seen so far of all that the controller follows, without the Nodes. On a real cluster the built-in controllers
   * keep changing objects for a while after a rollout, and the measurement at rest must not include that.
   */
  readonly changes: number
  /** Resolves with when it was asked for. */
  cordon(node: string, unschedulable: boolean): Promise<number>
  /** How many owners want it out of service. */
  claimsOn(node: string): number
  /** As a kubelet does every few minutes where nothing happens. */
  heartbeat(node: string): Promise<void>
  close(): Promise<void>
}

interface Ingress {
  readonly metadata: { readonly name: string; readonly generation?: number }
  readonly status?: unknown
}

interface IngressStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[]
  readonly nodes?: readonly { readonly name: string }[]
}

export function statusWrite({ metadata, status }: Ingress, atMs: number): StatusWrite {
  const { nodes = [] } = (status ?? {}) as IngressStatus
  return { object: metadata.name, nodes: nodes.map(({ name }) => name), atMs }
}

export function isInService({ metadata, status }: Ingress): boolean {
  const { conditions = [], observedGeneration } = (status ?? {}) as IngressStatus
  const reason = conditions.find(({ type }) => type === 'Ready')?.reason
  return observedGeneration === metadata.generation && reason === 'AllInService'
}

/** Of a Node's status, as the kubelet reports them anew. */
export function beating(conditions: readonly object[]): readonly object[] {
  const lastHeartbeatTime = new Date().toISOString()
  return conditions.map((condition) => ({ ...condition, lastHeartbeatTime }))
}
