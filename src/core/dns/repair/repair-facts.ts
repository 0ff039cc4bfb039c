import type { DisruptionBudget } from '../../../model/disruption-budget.ts'
import type { Finding } from '../diagnosis/finding.ts'
import type { DnsScene } from '../scene.ts'

/** What a repair is decided from: what was asked of DNS, what the API says around it, and the repairs before this one. */
export interface RepairFacts {
  readonly scene: DnsScene
  readonly findings: readonly Finding[]
  /** Rounds that said so. */
  readonly rounds: 1 | 2
  /** Why the API server is not ready to serve; absent: it is. */
  readonly apiNotReady?: string
  /** By the uid of each pod of DNS. */
  readonly pods: Readonly<Record<string, PodGround>>
  /** What runs the pods of DNS. Absent: no single Deployment, DaemonSet or StatefulSet does. */
  readonly workload?: RolledWorkload
  /** Workloads of kube-proxy, where pods of it are seen. */
  readonly proxies: readonly RolledWorkload[]
  /** Nodes with a pod of DNS that take no new pods. */
  readonly cordoned: readonly string[]
  readonly past: readonly PastRepair[]
  readonly wallMs: number
}

/** What a pod of DNS belongs to. */
export interface PodGround {
  /** Budgets whose selector picks it. */
  readonly budgets: readonly DisruptionBudget[]
}

export interface RolledWorkload {
  readonly kind: 'Deployment' | 'DaemonSet' | 'StatefulSet'
  readonly name: string
  /** Pods that are wanted, that there are, that are of the newest template, and that are Ready. */
  readonly desired: number
  readonly total: number
  readonly updated: number
  readonly ready: number
  /** Its controller has seen the newest spec. */
  readonly isObserved: boolean
}

export interface PastRepair {
  /** ISO 8601. */
  readonly at: string
  readonly pod: string
  /** `begun`: how it ended is not known, since its process was. */
  readonly outcome: 'begun' | 'cured' | 'notCured'
}
