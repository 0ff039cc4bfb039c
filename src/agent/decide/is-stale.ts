import { formatDuration } from '../../ground/model/duration.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { AgentSnapshot } from './snapshot.ts'

/** Whether the API server was not heard for as long as the agent is to bear. */
export function isStale({ spec, unheardSince, now }: AgentSnapshot): boolean {
  return spec.stale !== undefined && unheardSince !== undefined && now - unheardSince >= spec.stale.afterMs
}

/** Of an agent whose API server is away for as long as that. */
export const apiLongAway = (afterMs: number): Reason => ({
  code: 'ApiLongAway',
  text: `the API server has not been reached for longer than the limit (${formatDuration(afterMs)})`,
})
