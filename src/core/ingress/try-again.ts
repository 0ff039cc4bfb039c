import type { Reason } from '../../model/reason.ts'
import { toIsoSeconds, type WallMs, wallMs } from '../../model/time.ts'
import { act, type NodeAnswer } from './node-answer.ts'
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
  if (!isTried && now < nextTryAt(rejection, now)) return undefined
  if (!isTried || deployment.replicas !== podsPerNode)
    return makeOnceMore(n, podsPerNode, { ...rejection, triedAt: now })
  if (deployment.available < podsPerNode) return undefined
  const text = `the pods of ${n.name} are no longer rejected`
  return act(n, { kind: 'scale', replicas: podsPerNode }, { code: 'ReplicasDiffer', text })
}

/** The note stays until they are available, so that the next time is known for what it is. */
export function makeOnceMore(n: NodeView, replicas: number, rejected: Rejection): NodeAnswer {
  const text = `${n.name} is to have ${replicas} pods, after they were rejected`
  return act(n, { kind: 'scale', replicas, rejected }, { code: 'ReplicasDiffer', text })
}

/** The kubelet rejects them, and their ReplicaSet makes them anew at once. */
const REJECTED_AT_MOST = 5

/** Pods that run stay, and no other is made for a while. */
export function stopRejected({ s }: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  const { revision, failedPods, available } = deployment
  const before = rejectionOf(deployment)
  if (failedPods < REJECTED_AT_MOST || (before !== undefined && before.triedAt === undefined)) return undefined
  const rejected: Rejection = { revision, count: (before?.count ?? 0) + 1, at: s.now }
  const text = `${failedPods} pods of ${n.name} failed within ten minutes, so none is made before ${again(rejected, s.now)}`
  return act(n, { kind: 'scale', replicas: available, rejected }, { code: 'PodsRejected', text })
}

export const rejected = ({ s }: Pass, n: NodeView, rejection: Rejection): Reason => ({
  code: 'PodsRejected',
  object: n.name,
  text: `the pods of ${n.name} failed again and again, so none is made before ${again(rejection, s.now)}`,
  next: 'change the template, or retry the node',
})

const again = (rejection: Rejection, now: WallMs): string => toIsoSeconds(wallMs(nextTryAt(rejection, now)))
