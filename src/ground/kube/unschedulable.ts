import type { Unschedulable } from '../model/pod.ts'
import { present } from '../model/present.ts'

/** The scheduler's message about a pod that it cannot place. */
export const unschedulable = (message: string): Unschedulable => ({
  message,
  ...present({ nodes: countedNodes(message) }),
})

/**
 * The scheduler's own count (pkg/scheduler/framework/types.go, FitError): "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s)
 * didn't match pod anti-affinity rules."
 */
function countedNodes(message: string): Unschedulable['nodes'] {
  const all = /^0\/(\d+) nodes are available/.exec(message)?.[1]
  if (all === undefined) return undefined
  const [reasons = ''] = message.split('preemption:')
  const counts = [...reasons.matchAll(/(\d+) (node\(s\) [^,]*|Insufficient|Too many pods)/g)]
  const sum = (is: RegExp): number =>
    counts.reduce((total, [, count, why = '']) => total + (is.test(why) ? Number(count) : 0), 0)
  const [cordoned, bound, byPods, counted] = [sum(CORDONED), sum(BOUND), sum(BY_PODS), sum(/./)]
  return { all: Number(all), cordoned, bound, byPods, others: counted - cordoned - bound - byPods }
}

const CORDONED = /^node\(s\) were unschedulable/

/** What a pod and a node are, and no time changes. A taint may be one that goes by itself: only the nodes show that. */
const BOUND =
  /^node\(s\) (didn't (match (Pod's node affinity|PersistentVolume's node affinity)|satisfy plugin\(s\) \[NodeAffinity\]|have free ports)|had (volume node affinity conflict|no available volume zone|untolerated taint))/

/** Pods that are there keep it away. They seldom leave, but they may. */
const BY_PODS = /^node\(s\) didn't (match pod (anti-affinity|topology spread)|satisfy existing pods anti-affinity)/
