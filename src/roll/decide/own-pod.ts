import { isAway } from '../../ground/model/eviction.ts'
import type { Node } from '../../ground/model/node.ts'
import { refKey } from '../../ground/model/object-ref.ts'
import { act, done, hold, type StepAnswer } from '../../service/decide/step-answer.ts'
import type { OwnPod } from '../model/own-pod.ts'
import { mayEvict } from './guards.ts'
import type { NodeSnapshot } from './node-snapshot.ts'

/** A stage before those of the drain: the roll's own pod is none of the pods that a drain moves. */
const OWN_POD_STAGE = 0

/**
 * The node of the roll's own pod comes last: so the pod moves once, and to a node that is done. Another process of the run may
 * run elsewhere, so each process orders the nodes anew.
 */
export function ownNodeLast(order: readonly string[], own: OwnPod | undefined): readonly string[] {
  const isOwn = (name: string): boolean => name === own?.node
  return order.some(isOwn) ? [...order.filter((name) => !isOwn(name)), ...order.filter(isOwn)] : order
}

/**
 * The roll's own pod leaves its cordoned node before anything else does, while every balancer still has the node: until the
 * next pod has resumed the run, no process watches over a node that is out.
 *
 * Law: the pod of a roll leaves a node before the roll takes that node out of its balancers.
 */
export function ownPodLeaves(s: NodeSnapshot): StepAnswer {
  const own = s.run.ownPod
  const node = s.current.node.name
  if (own?.node !== node) return done
  const object = refKey(own)
  if (isOnItsWay(s, own)) {
    const text = `${object}, the pod of this roll, leaves ${node}; the next pod of its Job goes on with the run`
    return hold([{ code: 'OwnPodLeaves', object, text }])
  }
  const before = Object.entries(s.evidence.evicted).find(
    ([uid, { stage }]) => stage === OWN_POD_STAGE && uid !== own.uid,
  )
  if (before !== undefined) {
    const text = `this roll left ${node} with ${before[1].name}, and its next pod ${object} runs on ${node} again, which is cordoned`
    const next =
      'remove the toleration of node.kubernetes.io/unschedulable, and nodeName, from the pod template of the Job'
    return hold([{ code: 'OwnPodReturned', object, text, next, never: true }])
  }
  if (!s.cluster.nodes.some((other) => other.name !== node && takesPods(other))) {
    const text = `${object}, the pod of this roll, has to leave ${node}, and every other node is cordoned or not Ready`
    return hold([{ code: 'OwnPodHasNoNode', object, text, next: 'uncordon another node, or add one' }])
  }
  const refusals = mayEvict(s)
  if (refusals.length > 0) return hold(refusals)
  const { namespace, name, uid } = own
  return act([{ kind: 'evict', node, namespace, name, uid, stage: OWN_POD_STAGE }], {
    code: 'OwnPodHere',
    text: `the pod of this roll runs on ${node}`,
  })
}

const isOnItsWay = (s: NodeSnapshot, { uid }: OwnPod): boolean => {
  const answer = s.evidence.evictions[uid]
  return (answer !== undefined && isAway(answer)) || s.cluster.pods.some((pod) => pod.uid === uid && pod.terminating)
}

const takesPods = ({ unschedulable, ready }: Node): boolean => !unschedulable && ready === 'True'
