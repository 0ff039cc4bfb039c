import { formatDuration } from '../../ground/model/duration.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { AgentSnapshot } from './snapshot.ts'

/** Whether the API server has been away for as long as the agent may ignore it. */
export function isStale({ spec, unheardSince, now }: AgentSnapshot): boolean {
  return spec.stale !== undefined && unheardSince !== undefined && now - unheardSince >= spec.stale.afterMs
}

/** The reason of an agent whose API server has been away for that long. */
export const apiLongAway = (afterMs: number): Reason => ({
  code: 'ApiLongAway',
  text: `the API server has not been reached for longer than the limit (${formatDuration(afterMs)})`,
})
