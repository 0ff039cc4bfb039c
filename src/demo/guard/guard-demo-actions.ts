/** What the pods show of the guard of a node. Times are those of the command's clock. */
export interface NodeSeen {
  /** Absent: it always had its guard. */
  readonly lostAtMs?: number
  /** Absent: it did not get it back. */
  readonly backAtMs?: number
}

/** What only the pods show of the guards, since every node had its own. */
export interface GuardsSeen {
  /** Changes of pods; all pods were checked after each. */
  readonly changes: number
  /** The most nodes that were without their guard at the same time. */
  readonly mostAway: number
  of(node: string): NodeSeen
}

/** A node in the status of the NodeGuard, which does not list those that are Armed. */
export interface NodeRow {
  readonly name: string
  readonly state: string
  readonly message?: string
}

/** An embedded cluster whose nodes have guards, and a volume on each of the first two. */
export interface GuardDemoCluster {
  readonly nodes: readonly string[]
  /** The two nodes that are drained, each with its attached volume. */
  readonly drained: readonly { readonly name: string; readonly volume: string }[]
  readonly kubeconfig: string
  readonly seen: GuardsSeen
  rows(): readonly NodeRow[]
  /** Like kubectl; resolves when no pod is left that it evicts. Calls `onRefused` for each refusal. */
  drain(node: string, onRefused: (pod: string) => void, signal: AbortSignal): Promise<void>
  detach(volume: string): void
  /** Resolves when it is done. */
  uncordon(node: string, signal: AbortSignal): Promise<void>
  /** Rejects where the controller cannot go on, and otherwise never settles. */
  readonly failed: Promise<never>
  /** Nothing is left afterwards. */
  end(): Promise<void>
}

export interface GuardDemoActions {
  /** Settles once every node has its guard; leaves nothing behind where it rejects. */
  open(signal: AbortSignal): Promise<GuardDemoCluster>
  /** The command line of this program, for people to paste. */
  readonly program: string
}
