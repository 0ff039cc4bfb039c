/** coordination.k8s.io/v1 Lease, as a slot of the node budget uses it. */
export interface Lease {
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
  /** Empty when it has no holder. */
  readonly holder: string
  readonly durationSeconds: number
  /** MicroTime, verbatim: compared for change only, since the writer's clock is not ours. */
  readonly renewTime: string
  readonly transitions: number
  readonly annotations: Readonly<Record<string, string>>
}

/** By which `evenkeel controller` leads, in its own namespace. */
export const CONTROLLER_LEASE = 'evenkeel-controller'
