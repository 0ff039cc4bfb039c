import { toIsoSeconds } from '../../ground/model/time.ts'
import type { NodeView, Pass } from './pass.ts'

/** Objects have a bound in size. */
const ADMITTED_MAX = 100

/**
 * The rollout that is under way, for the status; undefined: none is. Nodes that are out for the work of others alone are no
 * rollout. Since when is kept from the status, also over a restart, and in whole seconds: a cache that does not show the status yet that
 * was just written would otherwise lead to another one.
 */
export function rolloutStatus(
  pass: Pass,
  isComplete: boolean,
): { readonly startedAt: string; readonly admitted: readonly string[] } | undefined {
  const { s, target, nodes } = pass
  const known = s.knownRollout?.revision === target ? s.knownRollout : undefined
  const isBegun = s.revisions.current !== target || pass.eligible.some((n) => n.deployment?.revision !== target)
  if (isComplete || s.object.deleting || (known === undefined && !isBegun)) return undefined
  const admitted = nodes.filter((n) => isForRollout(pass, n)).map(({ name }) => name)
  return {
    startedAt: toIsoSeconds(known?.startedAt ?? s.now),
    admitted: admitted.toSorted().slice(0, ADMITTED_MAX),
  }
}

const isForRollout = ({ target }: Pass, { isUnderWay, state, op }: NodeView): boolean =>
  isUnderWay && state !== 'Maintenance' && state !== 'Leaving' && (op === undefined || op.revision === target)
