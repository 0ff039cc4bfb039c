import { act, type NodeAnswer } from './node-answer.ts'
import type { NodeView, Pass } from './pass.ts'
import { rejectionOf } from './rejection.ts'
import { setGate } from './set-gate.ts'
import { GAVE_UP_ANNOTATION, type IngressDeployment } from './snapshot.ts'
import { makeAll, rejectsAll, stopRejected, tryAgain } from './try-again.ts'

/**
 * What a node needs before anything is begun there. It takes no place in the rollout until that is done: where the write is refused, the others
 * would wait for it for ever.
 */
export const upkeep = (pass: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined =>
  stopRejected(pass, n, deployment) ?? upkeepFirst(pass, n, deployment)

/** Of a node that nothing is under way on. The gate is closed before a cordon comes: a drain evicts in the same second. */
function upkeepFirst(pass: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  return setGate(pass, n, false) ?? forgetGivenUp(pass, n, deployment) ?? podsFirst(pass, n, deployment)
}

/** Once another revision is wanted: the one that was given up may be wanted anew, and counts as failed until then. */
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
