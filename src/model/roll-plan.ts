/** What `roll --dry-run` prints and a roll asks about. Nothing was changed to learn it. */
export interface RollPlan {
  readonly cluster: string
  readonly nodes: readonly PlannedNode[]
  readonly skipped: readonly { readonly node: string; readonly why: string }[]
  readonly unmatchedServers: readonly string[]
  readonly findings: readonly PlanFinding[]
  readonly load: readonly {
    readonly name: string
    readonly url: string
    readonly ratePerSecond: number
    readonly control: boolean
  }[]
  readonly checksPassed: number
}

export interface PlannedNode {
  readonly node: string
  readonly role: 'control plane' | 'worker'
  readonly address: string
  readonly bootId: string
  /** `backend/server on instance` for each server that leads here. */
  readonly detachFrom: readonly string[]
  readonly podsToMove: readonly string[]
  /** How many pods leave in each stage of the drain. */
  readonly stages: readonly number[]
}

/** `error` fails the plan (exit 2), `hold` may hold the roll, `warning` is for people to weigh. */
export interface PlanFinding {
  readonly severity: 'error' | 'hold' | 'warning'
  readonly code: string
  readonly node?: string
  readonly text: string
  readonly fix?: string
}
