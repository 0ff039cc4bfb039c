import type { Condition, ConditionWords } from './condition.ts'

/** A status as a controller of ours keeps it: conditions, and beside them the fields of its kind. */
export interface ObjectStatus {
  readonly observedGeneration?: number
  readonly conditions: readonly Condition[]
  /** By name, as JSON has them. What a controller does not write does not belong here. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** An object whose status is written, as it was read. */
export interface StatusBearer {
  readonly namespace?: string
  readonly name: string
  readonly resourceVersion: string
  /** Absent for a kind that counts no changes of its spec. */
  readonly generation?: number
  readonly status: ObjectStatus
}

export interface WantedStatus {
  /** Each in place of the one of its type; conditions of other types stay. */
  readonly conditions: readonly ConditionWords[]
  /** All there are to be: what is there beyond them goes. */
  readonly fields: Readonly<Record<string, unknown>>
}
