import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { toIsoSeconds, type WallMs, wallMs } from '../../ground/model/time.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import type { NodeView, Pass } from './pass.ts'
import { nextTryAt, type Rejection, rejectionOf } from './rejection.ts'
import type { IngressDeployment } from './snapshot.ts'

/** What is next for pods that were rejected: they are made once more, or the note goes. Undefined: they have to wait, or to come up. */
export function tryAgain({ s }: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  const rejection = rejectionOf(deployment)
  if (rejection === undefined) return undefined
  const { now, object } = s
  const { podsPerNode } = object.spec
  const isTried = rejection.triedAt !== undefined
  if (isAway(n, deployment) || (!isTried && now < dueAt(n, rejection, now))) return undefined
  if (!isTried || deployment.replicas !== podsPerNode)
    return makeOnceMore(n, podsPerNode, { ...rejection, triedAt: now })
  if (deployment.available < podsPerNode) return undefined
  const text = `the pods of ${n.name} are ${rejection.count === 0 ? 'available again' : 'no longer rejected'}`
  return act(n, { kind: 'scale', replicas: podsPerNode }, { code: 'ReplicasDiffer', text })
}

/** Once others are done with the node it is another one: its disk may have been emptied. */
const dueAt = ({ op }: NodeView, rejection: Rejection, now: WallMs): number =>
  (op?.t2 ?? 0) > rejection.at ? now : nextTryAt(rejection, now)

/**
 * As many pods as are to be there. Those that failed until now did so while none was made, such as on a node that was not Ready: it is noted
 * that they do not count, or the new ones would be taken for rejected before they start.
 */
export function makeAll({ s }: Pass, n: NodeView, { revision, replicas, failedPods }: IngressDeployment): NodeAnswer {
  const { podsPerNode } = s.object.spec
  const since = { revision, count: 0, at: s.now, triedAt: s.now }
  const isNoted = replicas < podsPerNode && failedPods > 0
  return act(
    n,
    { kind: 'scale', replicas: podsPerNode, ...(isNoted ? { rejected: since } : {}) },
    { code: 'ReplicasDiffer', text: `${n.name} needs ${podsPerNode} pods` },
  )
}

/** The note stays until they are available, so that the next time is known for what it is. */
export function makeOnceMore(n: NodeView, replicas: number, rejected: Rejection): NodeAnswer {
  const text = `${n.name} gets ${replicas} pods, after they were rejected`
  return act(n, { kind: 'scale', replicas, rejected }, { code: 'ReplicasDiffer', text })
}

/** The kubelet rejects them, and their ReplicaSet makes them anew at once. */
const REJECTED_AT_MOST = 5

/**
 * No failure says anything of the pods: others work on the node, or it is not Ready, or that is over and its pods are about to be
 * made.
 */
const isAway = ({ state, node, op }: NodeView, { revision }: IngressDeployment): boolean =>
  state === 'Maintenance' || node?.ready !== 'True' || (op?.phase === 'Detaching' && op.revision === revision)

/** A machine that goes down has its kubelet reject each pod, also one that is made anew. */
export const rejectsAll = (n: NodeView, deployment: IngressDeployment): boolean =>
  isAway(n, deployment) && deployment.failedPods + deployment.shutDownPods >= REJECTED_AT_MOST

/** Pods that run stay, and no other is made for a while: of a node that is away, until it is back. */
export function stopRejected({ s }: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  const { revision, failedPods, available, replicas } = deployment
  if (isAway(n, deployment)) return stopUntilBack(n, deployment)
  // What failed before these came up is over, such as while others worked on the node.
  if (available >= replicas) return undefined
  const before = rejectionOf(deployment)
  if (failedPods < REJECTED_AT_MOST || (before !== undefined && before.triedAt === undefined)) return undefined
  const rejected: Rejection = { revision, count: (before?.count ?? 0) + 1, at: s.now }
  const text = `${failedPods} pods of ${n.name} failed within ten minutes, so no pod is created before ${again(rejected, s.now)}`
  return act(n, { kind: 'scale', replicas: available, rejected }, { code: 'PodsRejected', text })
}

/** What was noted of its pods before stays as it is. */
function stopUntilBack(n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  const { replicas, runningPods } = deployment
  if (!rejectsAll(n, deployment) || replicas <= runningPods) return undefined
  const rejection = rejectionOf(deployment)
  const text = `no pod gets to run on ${n.name} now, so no pod is created before the node is back`
  return act(
    n,
    { kind: 'scale', replicas: runningPods, ...present({ rejected: rejection }) },
    { code: 'ReplicasDiffer', text },
  )
}

/** The next try may be due, and wait for the node itself. */
export function untilNextTry(pass: Pass, n: NodeView, rejection: Rejection): NodeAnswer {
  const at = nextTryAt(rejection, pass.s.now)
  return wait([rejected(pass, n, rejection)], at > pass.s.now ? at : undefined)
}

const rejected = ({ s }: Pass, n: NodeView, rejection: Rejection): Reason => ({
  code: 'PodsRejected',
  object: n.name,
  text: `the pods of ${n.name} failed again and again, so no pod is created before ${again(rejection, s.now)}`,
  next: 'change the template, or retry the node',
})

const again = (rejection: Rejection, now: WallMs): string => toIsoSeconds(wallMs(nextTryAt(rejection, now)))
