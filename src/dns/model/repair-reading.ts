import type { DisruptionBudget } from '../../ground/model/disruption-budget.ts'

/** What the API says about the pods of DNS before a repair. */
export interface RepairReading {
  /** Why the API server is not ready to serve; absent: it is. */
  readonly apiNotReady?: string
  /** By the uid of a pod: the budgets whose selector picks it. */
  readonly budgets: Readonly<Record<string, readonly DisruptionBudget[]>>
  /** What runs the pods of DNS. Absent: no single Deployment or DaemonSet does. */
  readonly workload?: RolledWorkload
  /** Workloads of kube-proxy, where there are some. */
  readonly proxies: readonly RolledWorkload[]
  /** Nodes with a pod of DNS that take no new pods. */
  readonly cordoned: readonly string[]
  /** All nodes that are not Ready: nothing moves on them, and what ends there has no end. */
  readonly downNodes: readonly string[]
  /** Names of pods that earlier repairs have put in quarantine, in the namespace of DNS. */
  readonly quarantined: readonly string[]
}

export interface RolledWorkload {
  readonly kind: 'Deployment' | 'DaemonSet'
  readonly name: string
  /** The numbers of pods that are wanted, that exist, that have the newest template, and that are Ready. */
  readonly desired: number
  readonly total: number
  readonly updated: number
  readonly ready: number
  /** Its controller has seen the newest spec. */
  readonly isObserved: boolean
}
