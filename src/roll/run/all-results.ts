import type { NodeResult } from '../model/roll-event.ts'
import { allInOrder, type RunState } from './run-state.ts'

/** Where each node of the order stands: as this process left it, or as an earlier one did, or untouched. */
export function allResults(
  run: Pick<RunState, 'order' | 'done' | 'resultsBefore' | 'hosts' | 'spec'>,
  known: ReadonlyMap<string, NodeResult>,
): readonly NodeResult[] {
  return allInOrder(run).map((node) => known.get(node) ?? earlier(run, node))
}

function earlier(run: Pick<RunState, 'done' | 'resultsBefore' | 'hosts'>, node: string): NodeResult {
  const nothing = { node, cordoned: false, detached: false, podsMoved: 0, failedRequests: 0 }
  if (!run.done.includes(node) && run.hosts?.done.includes(node) !== true)
    return { ...nothing, state: 'notTouched', text: 'not touched' }
  // Killed between the last write to the node and the word that it is through: it is through.
  const left = run.resultsBefore?.[node]
  const text = 'back in service, by an earlier process of this run'
  return { ...(left?.state === 'inService' ? left : nothing), state: 'inService', text }
}
