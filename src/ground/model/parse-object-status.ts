import { parseConditions } from './condition.ts'
import type { ObjectStatus } from './object-status.ts'
import { present } from './present.ts'
import type { Untrusted } from './untrusted.ts'

/** The status of an object of ours. Throws MalformedReply. */
export function parseObjectStatus(status: Untrusted): ObjectStatus {
  const observedGeneration = status.at('observedGeneration').optionalInteger()
  const { conditions: _conditions, observedGeneration: _observed, ...fields } = status.absent ? {} : status.fields()
  return {
    ...present({ observedGeneration }),
    conditions: parseConditions(status),
    fields,
  }
}
