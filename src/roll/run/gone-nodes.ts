import { goneText } from '../decide/node-gone.ts'
import type { NodeResult } from '../model/roll-event.ts'
import type { ClusterView } from './cluster-view.ts'
import type { EventLog } from './event-log.ts'
import type { RunState } from './run-state.ts'

interface GoneNodesParts {
  readonly run: RunState
  readonly view: Pick<ClusterView, 'node' | 'unlisted'>
  readonly events: EventLog
  /** Where nodes stand as far as is known: those that are gone are added, those that came back taken from it. */
  readonly results: Map<string, NodeResult>
}

/** Node objects that disappear while their roll goes on. */
export class GoneNodes {
  readonly #parts: GoneNodesParts

  constructor(parts: GoneNodesParts) {
    this.#parts = parts
  }

  /** A node of the order that is no more is left out, unless it comes back while there are others to roll. */
  note(): void {
    const { run, view, events, results } = this.#parts
    if (view.unlisted().length > 0) return
    const done = new Set(run.done)
    for (const node of run.order) {
      if (done.has(node)) continue
      const isThere = view.node(node) !== undefined
      const known = results.get(node)
      if (isThere && known?.state === 'gone') results.delete(node)
      if (isThere || known !== undefined) continue
      results.set(node, goneResult(node))
      events.emit({ type: 'warning', node, text: `${goneText(node)}; it is left out` })
    }
  }
}

const goneResult = (node: string): NodeResult => ({
  node,
  state: 'gone',
  cordoned: false,
  detached: false,
  podsMoved: 0,
  failedRequests: 0,
  text: 'gone from the cluster, left out',
})
