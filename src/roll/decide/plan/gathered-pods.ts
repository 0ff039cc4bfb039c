import { firstOf } from '../../../ground/model/first-of.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { type Workload, workloadKey } from '../../../ground/model/workload.ts'
import { workloadOf } from '../drain/workload-of.ts'

/** Pods that one finding is about. */
export interface GatheredPods {
  /** `shop/cart-a`, or `12 pods of 3 workloads (Deployment shop/cart, Deployment shop/web and 1 more)`. */
  readonly words: string
  readonly isOne: boolean
  /** Their nodes, and the names of all. */
  readonly where: Pick<PlanFinding, 'node' | 'nodes' | 'pods'>
}

export function gatherPods(pods: readonly Pod[], workloads: readonly Workload[]): GatheredPods {
  const [first] = pods
  const names = pods.map(refKey).toSorted()
  const nodes = [...new Set(pods.flatMap(({ nodeName }) => nodeName ?? []))]
  const on = nodes.length > 1 ? { nodes } : nodes.map((node) => ({ node }))[0]
  if (first !== undefined && pods.length === 1)
    return { words: refKey(first), isOne: true, where: { ...on, pods: names } }
  const owners = new Set(pods.map((pod) => ownerOf(pod, workloads)))
  const isOwned = !owners.has(undefined)
  const of = [...owners].filter((owner) => owner !== undefined)
  const words = !isOwned
    ? ` (${firstOf(names)})`
    : of.length === 1
      ? ` of ${of[0]}`
      : ` of ${of.length} workloads (${firstOf(of)})`
  return { words: `${pods.length} pods${words}`, isOne: false, where: { ...on, pods: names } }
}

function ownerOf(pod: Pod, workloads: readonly Workload[]): string | undefined {
  const workload = workloadOf(pod, workloads)
  if (workload !== undefined) return workloadKey(workload)
  return pod.controller === undefined ? undefined : `${pod.controller.kind} ${pod.namespace}/${pod.controller.name}`
}
