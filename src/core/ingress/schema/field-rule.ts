import type { Untrusted } from '../../../model/untrusted.ts'
import { INGRESS_RULES, type IngressRuleName } from './rule-texts.ts'

/** Whether the field is right; `old` is what it was before, where an object is changed. */
type Holds = (self: Untrusted, old?: Untrusted) => boolean

/** A rule of a field and what is below it, for the API server and for programs: two forms of one condition. */
export interface FieldRule {
  readonly rule: string
  /** The place of the message below the field that has the rule: `.maxDegradedNodes`; empty for the field itself. */
  readonly below: string
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
  /** In CEL, where `self` is the field. */
  readonly cel: string
  /** Types are as the schema says, where this is asked. */
  readonly holds: Holds
}

/** The condition of a rule in both forms. */
export type Condition = readonly [cel: string, holds: Holds]

/** Rules of the table for the field `at`; the field that a message names is below it. */
export const rulesAt = (
  at: string,
  conditions: Partial<Readonly<Record<IngressRuleName, Condition>>>,
): readonly FieldRule[] =>
  (Object.keys(conditions) as IngressRuleName[]).flatMap((name) => {
    const [cel, holds] = conditions[name] ?? []
    const { field, message, fix } = INGRESS_RULES[name]
    if (cel === undefined || holds === undefined) return []
    return [{ rule: name, below: at === '' ? `.${field}` : field.slice(at.length), message, fix, cel, holds }]
  })
