import { toIsoSeconds } from '../../ground/model/time.ts'
import type { NodeView, Pass } from './pass.ts'

/** Objects have a bound in size. */
const ADMITTED_MAX = 100

/**
 * The running rollout, for the status. Undefined: none. Nodes that are out only for the work of others are no rollout. The beginning is
 * taken from the status, also after a restart, in whole seconds; otherwise a late cache would cause another write of the status.
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
