import type { Violation } from './fleet-facts.ts'

export interface FleetReport {
  readonly seed: string
  readonly digest: string
  readonly violations: readonly Violation[]
  readonly nodes: number
  readonly processes: number
  readonly virtualMs: number
  /** The most that were out by plan at once. */
  readonly most: number
  /** How often a process died where: `PATCH nodes, before`. */
  readonly deaths: Readonly<Record<string, number>>
  /** What the rolls told, where something went wrong. */
  readonly events: readonly string[]
}
