import type { StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import type { Violation } from '../checkers/scene.ts'
import type { CellCounts } from './fault-tally.ts'

export interface SeedReport {
  readonly seed: string
  readonly digest: string
  readonly violations: readonly Violation[]
  readonly processes: number
  readonly virtualMs: number
  readonly lost: number
  /** How often each fault happened in each step. */
  readonly cells: CellCounts
  /** What all processes told, where something went wrong. */
  readonly events: readonly string[]
}

export function eventText({ type, at, ...rest }: StampedEvent): string {
  return `${at} ${type} ${JSON.stringify(rest).slice(0, 400)}`
}
