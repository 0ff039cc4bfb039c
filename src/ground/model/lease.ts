/** coordination.k8s.io/v1 Lease, as it is used for a slot of the node budget. */
export interface Lease {
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
  /** Empty when it has no holder. */
  readonly holder: string
  readonly durationSeconds: number
  /** MicroTime, verbatim: only compared for changes, since the writer's clock is not ours. */
  readonly renewTime: string
  readonly transitions: number
  readonly annotations: Readonly<Record<string, string>>
}

/** The Lease of the leader of `evenkeel controller`, in its own namespace. */
export const CONTROLLER_LEASE = 'evenkeel-controller'
