/** What the pods show of the guard of a node. Moments are those of the clock that a command has. */
export interface NodeSeen {
  /** Absent: it has had its guard all the time. */
  readonly lostAtMs?: number
  /** Absent: it has not got it back. */
  readonly backAtMs?: number
}

/** What is seen of guards by the pods alone, since every node had its own. */
export interface GuardsSeen {
  /** Of a pod, after each of which all pods were looked at. */
  readonly changes: number
  /** So many nodes were without their guard at one moment. */
  readonly mostAway: number
  of(node: string): NodeSeen
}

/** A node as the status of the NodeGuard has it; those that are Armed are not in it. */
export interface NodeRow {
  readonly name: string
  readonly state: string
  readonly message?: string
}

/** An embedded cluster whose nodes have guards, and a volume on each of the first two. */
export interface GuardDemoCluster {
  readonly nodes: readonly string[]
  /** The two that are drained, each with the volume that is attached to it. */
  readonly drained: readonly { readonly name: string; readonly volume: string }[]
  readonly kubeconfig: string
  readonly seen: GuardsSeen
  rows(): readonly NodeRow[]
  /** As kubectl does; resolves when no pod is left that it asks to go. Tells of each refusal. */
  drain(node: string, onRefused: (pod: string) => void, signal: AbortSignal): Promise<void>
  detach(volume: string): void
  /** Resolves when it is done. */
  uncordon(node: string, signal: AbortSignal): Promise<void>
  /** Rejects where the controller cannot go on, and does not settle otherwise. */
  readonly failed: Promise<never>
  /** Everything is gone afterwards. */
  end(): Promise<void>
}

export interface GuardDemoActions {
  /** Settles once every node has its guard; leaves nothing behind where it rejects. */
  open(signal: AbortSignal): Promise<GuardDemoCluster>
  /** The command line of this program, for people to paste. */
  readonly program: string
}
