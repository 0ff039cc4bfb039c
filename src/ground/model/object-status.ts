import type { Condition, ConditionWords } from './condition.ts'

/** The status of an object of our controllers: conditions, and the fields of its kind. */
export interface ObjectStatus {
  readonly observedGeneration?: number
  readonly conditions: readonly Condition[]
  /** By name, in JSON form. Fields that a controller does not write are not in here. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** An object whose status is written, as it was read. */
export interface StatusBearer {
  readonly namespace?: string
  readonly name: string
  readonly resourceVersion: string
  /** Absent for a kind without a generation. */
  readonly generation?: number
  readonly status: ObjectStatus
}

export interface WantedStatus {
  /** Each in place of the one of its type; conditions of other types stay. */
  readonly conditions: readonly ConditionWords[]
  /** All there are to be: what is there beyond them goes. */
  readonly fields: Readonly<Record<string, unknown>>
}
