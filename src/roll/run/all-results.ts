import type { NodeResult } from '../model/roll-event.ts'
import { allInOrder, type RunState } from './run-state.ts'

/**
 * Where each node of the order stands: as this process left it, or as an earlier one did, or untouched. A node that an earlier process
 * had in work is out, also where this process ends before it has decided anything about it.
 */
export function allResults(
  run: Earlier & Pick<RunState, 'order' | 'spec'>,
  known: ReadonlyMap<string, NodeResult>,
): readonly NodeResult[] {
  return allInOrder(run).map((node) => known.get(node) ?? earlier(run, node))
}

type Earlier = Pick<RunState, 'done' | 'inWorkBefore' | 'resultsBefore' | 'hosts'>

function earlier(run: Earlier, node: string): NodeResult {
  const nothing = { node, cordoned: false, detached: false, podsMoved: 0, failedRequests: 0 }
  if (run.inWorkBefore?.includes(node) === true && !run.done.includes(node))
    return { ...nothing, state: 'out', text: 'as an earlier process of this run left it' }
  if (!run.done.includes(node) && run.hosts?.done.includes(node) !== true)
    return { ...nothing, state: 'notTouched', text: 'not touched' }
  // Killed between the last write to the node and the word that it is through: it is through.
  const left = run.resultsBefore?.[node]
  const text = 'back in service, by an earlier process of this run'
  return { ...(left?.state === 'inService' ? left : nothing), state: 'inService', text }
}
