import type { Untrusted } from '../untrusted.ts'

/** Whether the field is valid; `old` is its earlier value, where an object is changed. */
type Holds = (self: Untrusted, old?: Untrusted) => boolean

/** A rule about a field and what is below it, for the API server and for programs: two forms of one condition. */
export interface FieldRule {
  readonly rule: string
  /** The place of the message below the field with the rule: `.maxDegradedNodes`; empty for the field itself. */
  readonly below: string
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
  /** In CEL, where `self` is the field. */
  readonly cel: string
  /** Called only if the types are those of the schema. */
  readonly holds: Holds
}

/** The condition of a rule in both forms. */
export type Condition = readonly [cel: string, holds: Holds]

/** The text of a rule, whatever its condition. */
interface RuleText {
  readonly field: string
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
}

/** Rules of a table for the field `at`; the field that a message names is below it. */
export const rulesOf =
  <T extends Readonly<Record<string, RuleText>>>(table: T) =>
  (at: string, conditions: Partial<Readonly<Record<keyof T & string, Condition>>>): readonly FieldRule[] =>
    (Object.keys(conditions) as (keyof T & string)[]).flatMap((name) => {
      const [cel, holds] = conditions[name] ?? []
      const text = table[name]
      if (cel === undefined || holds === undefined || text === undefined) return []
      const { field, message, fix } = text
      return [{ rule: name, below: at === '' ? `.${field}` : field.slice(at.length), message, fix, cel, holds }]
    })
