import type { Reason } from '../../model/reason.ts'
import { isStale } from './is-stale.ts'
import type { AgentSnapshot } from './snapshot.ts'

/** Why a node that is not to leave cannot be `up` either. */
export function standsAgainst(s: AgentSnapshot): readonly Reason[] {
  const { node, dataPort } = s.evidence
  const stale = isStale(s) ? s.spec.stale : undefined
  if (stale?.answer === 'down') return [{ code: 'ApiLongAway', text: 'the API server was not heard for too long' }]
  // A machine that has just booted knows nothing: whoever took it out may not have been heard of yet.
  if (node === undefined && stale === undefined)
    return [{ code: 'ColdStart', text: 'the API server has not told of the node since it booted' }]
  if (!s.spec.hasDataPort || dataPort === 'open') return []
  return dataPort === 'closed'
    ? [{ code: 'DataPortClosed', text: 'nothing answers at its data port' }]
    : [{ code: 'DataPortUnknown', text: 'its data port was not asked often enough yet' }]
}
