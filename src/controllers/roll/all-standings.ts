import type { NodeStanding } from '../../model/roll-event.ts'
import type { RunState } from './run-state.ts'

/** Where each node of the order stands: as this process left it, or as an earlier one did, or untouched. */
export function allStandings(
  run: Pick<RunState, 'order' | 'done'>,
  known: ReadonlyMap<string, NodeStanding>,
): readonly NodeStanding[] {
  return run.order.map((node) => known.get(node) ?? earlier(node, run.done.includes(node)))
}

function earlier(node: string, done: boolean): NodeStanding {
  const nothing = { node, cordoned: false, detached: false, podsMoved: 0, failedRequests: 0 }
  return done
    ? { ...nothing, state: 'inService', text: 'back in service, by an earlier process of this run' }
    : { ...nothing, state: 'notTouched', text: 'not touched' }
}
