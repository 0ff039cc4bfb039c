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
  /** The generation of the object that it was said of, where the object has one. */
  readonly observedGeneration?: number
}

/** What a condition is to say, apart from when. */
export type ConditionWords = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

interface When {
  /** ISO 8601. */
  readonly at: string
  /** Of the object, where it has one. */
  readonly generation?: number
}

/**
 * What is to be written in place of `found`; undefined where that says so already. A condition of an older
 * generation is said anew: `kubectl wait` goes by no other. Its time changes with `status` alone (KEP-1623).
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
