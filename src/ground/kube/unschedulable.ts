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
  const counts = [...reasons.matchAll(/(\d+) (node\(s\) were unschedulable|node\(s\)|Insufficient|Too many pods)/g)]
  const sum = (of: typeof counts): number => of.reduce((total, [, count]) => total + Number(count), 0)
  const cordoned = sum(counts.filter(([, , why]) => why === 'node(s) were unschedulable'))
  return { all: Number(all), cordoned, others: sum(counts) - cordoned }
}
