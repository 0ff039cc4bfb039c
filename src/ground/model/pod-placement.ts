import type { LabelSelector } from './label-selector.ts'
import type { NodeTerm } from './node-affinity.ts'
import type { Amount } from './quantity.ts'
import type { Toleration } from './tolerations.ts'

/** What the scheduler uses, as far as it can refuse a node. */
export interface PodPlacement {
  readonly requests: Amount
  readonly priority: number
  readonly nodeSelector: Readonly<Record<string, string>>
  /** The required node affinity; absent: none. */
  readonly terms?: readonly NodeTerm[]
  readonly tolerations: readonly Toleration[]
  /** `8080/TCP`: the API server allows each to one pod of a node. */
  readonly hostPorts: readonly string[]
  /** The required pod anti-affinity. */
  readonly apart: readonly ApartTerm[]
  /** Topology spread constraints that are `DoNotSchedule`. */
  readonly spread: readonly SpreadRule[]
}

/** No other such pod may be in the same domain. */
export interface ApartTerm {
  readonly topologyKey: string
  readonly selector: LabelSelector
  /** Absent: all namespaces. */
  readonly namespaces?: readonly string[]
}

export interface SpreadRule {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly selector: LabelSelector
}
