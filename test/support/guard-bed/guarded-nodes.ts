import type { ApiHistory } from '../ingress-api/api-history.ts'
import { type ApiObject, hostOf, isReady } from '../ingress-api/api-object.ts'

const GUARD_LABEL = 'evenkeel.dev/guard'

/** Pods of all NodeGuards, or of the one with that name. */
export const guardPods = (pods: readonly ApiObject[], name?: string): readonly ApiObject[] =>
  pods.filter(({ metadata: { labels = {} } }) => {
    const of = labels[GUARD_LABEL]
    return of !== undefined && (name === undefined || of === name)
  })

/** Nodes with a guard that is ready and does not leave. */
export const guardedNodes = (pods: readonly ApiObject[]): readonly string[] =>
  guardPods(pods)
    .filter(isReady)
    .map((pod) => hostOf(pod) ?? '')
    .toSorted()

interface Span {
  readonly nodes: readonly string[]
  readonly since: number
}

/** `n1`, or `n1 n2`: the nodes that were without a ready guard at the same moment, each such set once. */
export function unguardedNodes(history: ApiHistory, { nodes, since }: Span): readonly string[] {
  const sets = new Set<string>()
  history.replay(since, (world) => {
    const there = guardedNodes([...world.pods.values()])
    const missing = nodes.filter((node) => !there.includes(node))
    if (missing.length > 0) sets.add(missing.join(' '))
  })
  return [...sets].toSorted()
}
