import type { AgentSnapshot } from './snapshot.ts'

/** Whether the API server was not heard for as long as the agent was told to bear. */
export function isStale({ spec, unheardSince, now }: AgentSnapshot): boolean {
  return spec.stale !== undefined && unheardSince !== undefined && now - unheardSince >= spec.stale.afterMs
}
