import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { toIsoSeconds, type WallMs, wallMs } from '../../ground/model/time.ts'
import { act, type NodeAnswer, wait } from './node-answer.ts'
import type { NodeView, Pass } from './pass.ts'
import { nextTryAt, type Rejection, rejectionOf } from './rejection.ts'
import type { IngressDeployment } from './snapshot.ts'

/** The next step for rejected pods: they are created again, or the note is removed. Undefined: they wait, or start. */
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

/** When the next try is due. After the work of others it is due at once, since the cause, such as a full disk, may be gone. */
const dueAt = ({ op }: NodeView, rejection: Rejection, now: WallMs): number =>
  (op?.t2 ?? 0) > rejection.at ? now : nextTryAt(rejection, now)

/**
 * Scales up to all pods. Earlier failures, such as those on a node that was not Ready, are noted as not counting; otherwise the new pods
 * would count as rejected before they start.
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

/** Creates the pods again. The note stays until they are available, so that the next failure is counted. */
export function makeOnceMore(n: NodeView, replicas: number, rejected: Rejection): NodeAnswer {
  const text = `${n.name} gets ${replicas} pods, after they were rejected`
  return act(n, { kind: 'scale', replicas, rejected }, { code: 'ReplicasDiffer', text })
}

/** The ReplicaSet replaces rejected pods at once, so more failures than this count as a rejection. */
const REJECTED_AT_MOST = 5

/** Failures say nothing about the pods: others work on the node, or it is not Ready, or its pods are about to be created after that. */
const isAway = ({ state, node, op }: NodeView, { revision }: IngressDeployment): boolean =>
  state === 'Maintenance' || node?.ready !== 'True' || (op?.phase === 'Detaching' && op.revision === revision)

/** The machine shuts down, so its kubelet rejects each pod, also new ones. */
export const rejectsAll = (n: NodeView, deployment: IngressDeployment): boolean =>
  isAway(n, deployment) && deployment.failedPods + deployment.shutDownPods >= REJECTED_AT_MOST

/** Scales down to the running pods for a while; on a node that is away, until it is back. */
export function stopRejected({ s }: Pass, n: NodeView, deployment: IngressDeployment): NodeAnswer | undefined {
  const { revision, failedPods, ready, runningPods, replicas } = deployment
  if (isAway(n, deployment)) return stopUntilBack(n, deployment)
  const kept = Math.max(runningPods, ready)
  // Failures from before these pods started do not count any more.
  if (kept >= replicas) return undefined
  const before = rejectionOf(deployment)
  if (failedPods < REJECTED_AT_MOST || (before !== undefined && before.triedAt === undefined)) return undefined
  const rejected: Rejection = { revision, count: (before?.count ?? 0) + 1, at: s.now }
  const text = `${failedPods} pods of ${n.name} failed within ten minutes, so no pod is created before ${again(rejected, s.now)}`
  return act(n, { kind: 'scale', replicas: kept, rejected }, { code: 'PodsRejected', text })
}

/** Scales down and keeps the earlier note. */
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

/** The wait until the next try, which may be due and wait for the node. */
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
