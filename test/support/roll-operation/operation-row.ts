import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import type { RollProcess } from '../roll-bed/roll-process.ts'
import type { OperationPlace } from './operation-place.ts'

/** All that a roll could have left behind, and how often each node booted. */
export interface Left {
  /** Node → boots during the row; nodes that did not boot are absent. */
  readonly boots: Readonly<Record<string, number>>
  /** Records, taints, cordons, servers that are out: a line each. */
  readonly leftovers: readonly string[]
  /** What the hooks wrote, a line each. */
  readonly hooks: readonly string[]
  /** Values of the first matcher of each silence that is active. */
  readonly silences: readonly string[]
  /** Leases of slots that have a holder. */
  readonly slots: readonly string[]
}

export const NOTHING: Left = { boots: {}, leftovers: [], hooks: [], silences: [], slots: [] }

export interface Arranged {
  /** Merged over the spec of a bed's roll file. */
  readonly spec: Readonly<Record<string, unknown>>
  /** What else happens while it rolls. */
  readonly meanwhile?: (roll: RollProcess) => Promise<void>
}

/** One situation of a real operation, on a real cluster. */
export interface OperationRow {
  readonly situation: string
  /** In their order. */
  readonly nodes: readonly string[]
  readonly arrange: (place: OperationPlace) => Promise<Arranged> | Arranged
  readonly exit: number
  /** Codes of holds and of the end. All of them are said. */
  readonly says: readonly ReasonCode[]
  /** Each is in a reason or on the screen. */
  readonly words: readonly RegExp[]
  /** What differs from a cluster that was not touched. */
  readonly leaves: Partial<Left>
  /** What else is seen. It leaves the cluster as it found it, for the next row. */
  readonly and?: (place: OperationPlace) => Promise<void>
}
