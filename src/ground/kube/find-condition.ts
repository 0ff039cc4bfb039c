import type { Untrusted } from '../model/untrusted.ts'

interface Condition {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  /** Verbatim; only node conditions have one. */
  readonly lastHeartbeatTime: string
}

/** The condition of this type in `status.conditions`. A status that is neither True nor False is Unknown. */
export function findCondition(object: Untrusted, type: string): Condition | undefined {
  const condition = object
    .at('status')
    .at('conditions')
    .each()
    .find((candidate) => candidate.at('type').textOr('') === type)
  if (condition === undefined) return undefined
  const status = condition.at('status').textOr('')
  return {
    status: status === 'True' || status === 'False' ? status : 'Unknown',
    reason: condition.at('reason').textOr(''),
    message: condition.at('message').textOr(''),
    lastHeartbeatTime: condition.at('lastHeartbeatTime').textOr(''),
  }
}
