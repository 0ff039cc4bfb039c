import { present } from './present.ts'
import type { Untrusted } from './untrusted.ts'

/** metav1.Condition. */
export interface Condition {
  readonly type: string
  /** `True`, `False` or `Unknown`. */
  readonly status: string
  /** PascalCase. */
  readonly reason: string
  readonly message: string
  /** ISO 8601: when `status` changed. */
  readonly lastTransitionTime: string
  /** The generation of the object that the condition is about, where the object has one. */
  readonly observedGeneration?: number
}

/** The content of a condition, without its time. */
export type ConditionWords = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

interface When {
  /** ISO 8601. */
  readonly at: string
  /** Of the object, where it has one. */
  readonly generation?: number
}

/**
 * The condition to write in place of `found`; undefined where that is equal. A condition of an older generation is written
 * anew, since `kubectl wait` ignores it. Its time changes only with `status` (KEP-1623).
 */
export function nextCondition(
  found: Condition | undefined,
  { type, status, reason, message }: ConditionWords,
  { at, generation }: When,
): Condition | undefined {
  const isSaid = found?.status === status && found.reason === reason && found.message === message
  if (isSaid && found.observedGeneration === generation) return undefined
  const isKept = found?.status === status && !Number.isNaN(Date.parse(found.lastTransitionTime))
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: isKept ? found.lastTransitionTime : at,
    ...present({ observedGeneration: generation }),
  }
}

/** The conditions of a status. Throws MalformedReply. */
export const parseConditions = (status: Untrusted): readonly Condition[] =>
  status.at('conditions').each().map(parseCondition)

function parseCondition(condition: Untrusted): Condition {
  const observedGeneration = condition.at('observedGeneration').optionalInteger()
  return {
    type: condition.at('type').textOr(''),
    status: condition.at('status').textOr('Unknown'),
    reason: condition.at('reason').textOr(''),
    message: condition.at('message').textOr(''),
    lastTransitionTime: condition.at('lastTransitionTime').textOr(''),
    ...present({ observedGeneration }),
  }
}
