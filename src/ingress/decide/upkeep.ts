import { act, type NodeAnswer } from './node-answer.ts'
import type { NodeView, Pass } from './pass.ts'
import { rejectionOf } from './rejection.ts'
import { setGate } from './set-gate.ts'
import { GAVE_UP_ANNOTATION, type IngressDeployment } from './snapshot.ts'
import { makeAll, rejectsAll, stopRejected, tryAgain } from './try-again.ts'

/**
 * What a node needs before anything is begun there. Until then it takes no place in the rollout; otherwise the others would wait for ever
 * for a node whose write is refused.
 */
export const upkeep = (pass: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined =>
  stopRejected(pass, n, deployment) ?? upkeepFirst(pass, n, deployment)

/** The upkeep of a node without an operation. The gate is closed before a cordon comes, since a drain evicts in the same second. */
function upkeepFirst(pass: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  return setGate(pass, n, false) ?? forgetGivenUp(pass, n, deployment) ?? podsFirst(pass, n, deployment)
}

/** Removes the note of a given-up revision once another one is wanted. */
function forgetGivenUp({ target }: Pass, n: NodeView, { annotations }: IngressDeployment): NodeAnswer | undefined {
  const { [GAVE_UP_ANNOTATION]: revision } = annotations
  if (revision === undefined || revision === target) return undefined
  const text = `the update of ${n.name} to revision ${revision} was given up, and that one is not wanted any more`
  return act(n, { kind: 'clearOp' }, { code: 'RevisionSuperseded', text })
}

export function podsFirst(pass: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  const { podsPerNode } = pass.s.object.spec
  if (rejectionOf(deployment) !== undefined) return tryAgain(pass, n, deployment)
  if (deployment.replicas === podsPerNode) return undefined
  if (deployment.replicas < podsPerNode && rejectsAll(n, deployment)) return undefined
  return makeAll(pass, n, deployment)
}
