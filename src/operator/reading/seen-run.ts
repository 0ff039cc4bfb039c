import { present } from '../../ground/model/present.ts'
import { toIso, wallMs } from '../../ground/model/time.ts'
import { podsMoved } from '../../roll/report/view/pod-moves.ts'
import { currentHold, currentStep, type NodeView, type RollView } from '../../roll/report/view/roll-view.ts'
import type { SeenNode, SeenRun } from '../model/run-state.ts'

/** What the status of a Roll shows of its run. */
export function seenRun(view: RollView): SeenRun {
  const { run: name, nodes, load, startedAt, end, lastAt } = view
  const results = new Map(end?.standings.map((result) => [result.node, result]))
  const seen = nodes.map((node) => seenNode(results.has(node.name) ? withEnd(node, results) : node))
  const held = end === undefined ? nodes.flatMap((node) => currentHold(currentStep(node))?.reasons ?? []) : []
  return {
    name,
    total: nodes.length,
    done: seen.filter((node) => node?.state === 'inService').length,
    podsMoved: podsMoved(view),
    ...present({ sent: load?.sent, failed: load?.failed }),
    ...(startedAt === undefined ? {} : { startedAt: iso(startedAt) }),
    ...(end === undefined ? {} : { endedAt: iso(lastAt) }),
    nodes: seen.flatMap((node) => (node === undefined || isQuiet(node) ? [] : [node])),
    held,
    ...endOf(view),
  }
}

function endOf({ end }: RollView): Pick<SeenRun, 'end'> {
  if (end === undefined || end.outcome === 'interrupted') return {}
  const out = end.standings.filter(({ state }) => state === 'out').map(({ node }) => node)
  return { end: { outcome: end.outcome, reasons: end.reasons, out } }
}

/** The end of a run may know more than the end of its node: the node was kept out, and is put back by then. */
const withEnd = (node: NodeView, results: ReadonlyMap<string, NonNullable<NodeView['standing']>>): NodeView => ({
  ...node,
  ...present({ standing: results.get(node.name) }),
})

/** Undefined: it was not begun, or was put back before anything was done to it. */
function seenNode(node: NodeView): SeenNode | undefined {
  const { name, state, standing: result, endedAt } = node
  const failedRequests = Math.max(0, (node.loadAfter?.failed ?? 0) - (node.loadBefore?.failed ?? 0))
  const rest = { name, podsMoved: node.podsMoved }
  if (state === 'inWork' && result === undefined) {
    const step = currentStep(node)
    const reasons = currentHold(step)?.reasons ?? step?.waits ?? []
    const since = step?.startedAt ?? node.startedAt
    return {
      ...rest,
      state: 'inWork',
      failedRequests,
      ...present({ step: step?.step, text: reasons[0]?.text }),
      ...(since === undefined ? {} : { since: iso(since) }),
    }
  }
  if (result === undefined || result.state === 'notTouched') return undefined
  return {
    ...rest,
    state: result.state,
    failedRequests: Math.max(failedRequests, result.failedRequests),
    ...present({ step: result.step, text: result.text }),
    ...(endedAt === undefined ? {} : { since: iso(endedAt) }),
  }
}

const isQuiet = ({ state, failedRequests }: SeenNode): boolean => state === 'inService' && failedRequests === 0

const iso = (at: number): string => toIso(wallMs(at))
