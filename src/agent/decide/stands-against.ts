import type { Reason } from '../../ground/model/reason.ts'
import { apiLongAway, isStale } from './is-stale.ts'
import type { AgentSnapshot } from './snapshot.ts'

/** Why a node that is not to leave cannot be `up` either. */
export function standsAgainst(s: AgentSnapshot): readonly Reason[] {
  const { node, dataPort } = s.evidence
  const stale = isStale(s) ? s.spec.stale : undefined
  if (stale?.answer === 'down') return [apiLongAway(stale.afterMs)]
  // A machine that has just booted knows nothing: there may be a claim that it has not read yet.
  if (node === undefined && stale === undefined)
    return [{ code: 'ColdStart', text: 'the API server has not shown the node since the machine booted' }]
  if (!s.spec.hasDataPort || dataPort === 'open') return []
  return dataPort === 'closed'
    ? [{ code: 'DataPortClosed', text: 'nothing answers at the data port of the node' }]
    : [{ code: 'DataPortUnknown', text: 'the data port of the node has not been checked often enough yet' }]
}
