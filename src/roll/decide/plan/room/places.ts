import type { Node, Taint } from '../../../../ground/model/node.ts'
import { type NodeTerm, whyNotMatched } from '../../../../ground/model/node-affinity.ts'
import { isFinished, type Pod } from '../../../../ground/model/pod.ts'
import type { PodPlacement } from '../../../../ground/model/pod-placement.ts'
import type { Amount } from '../../../../ground/model/quantity.ts'
import { CORDON_TAINT, tolerates } from '../../../../ground/model/tolerations.ts'
import { OUT_TAINT } from '../../../../service/model/node-record.ts'

/** A node with what is left of it. */
export interface Place {
  readonly node: Node
  /** Absent: the node does not say how much it has. */
  readonly free?: Amount & { readonly pods: number }
  readonly hostPorts: ReadonlySet<string>
}

/** The nodes that may take a pod; each list is a part of the one before it. */
export interface Candidates {
  /** Ready, not cordoned, and all their taints are tolerated. */
  readonly open: readonly Place[]
  /** The pod's nodeSelector and required node affinity match them. */
  readonly wanted: readonly Place[]
  /** They reach the pod's volumes; most free cpu first. */
  readonly reaching: readonly Place[]
  /** What `wanted` would be if no node was closed: the domains of a topology spread. */
  readonly matching: readonly Node[]
}

/** Nodes by what pods require of them. Most pods require the same, so each list is made once. */
export class Places {
  readonly all: readonly Place[]
  readonly #known = new Map<string, Candidates>()

  constructor(nodes: readonly Node[], podsOf: ReadonlyMap<string, readonly Pod[]>) {
    this.all = nodes.map((node) => placeOf(node, podsOf.get(node.name) ?? []))
  }

  /** `volumes`: the terms of each volume that not every node reaches. */
  for(placement: PodPlacement, volumes: readonly (readonly NodeTerm[])[]): Candidates {
    const { nodeSelector, terms, tolerations } = placement
    const key = JSON.stringify([nodeSelector, terms, tolerations, volumes])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const matches = ({ node }: Place): boolean => isWanted(node, placement)
    const open = this.all.filter(({ node }) => isOpen(node, placement))
    const wanted = open.filter(matches)
    const reaching = wanted.filter(({ node }) => volumes.every((each) => whyNotMatched(each, node) === undefined))
    const matching = this.all.filter(matches).map(({ node }) => node)
    const made = { open, wanted, reaching: reaching.toSorted(mostFree), matching }
    this.#known.set(key, made)
    return made
  }
}

function placeOf(node: Node, pods: readonly Pod[]): Place {
  const running = pods.filter((pod) => !isFinished(pod))
  const hostPorts = new Set(running.flatMap(({ placement }) => placement?.hostPorts ?? []))
  if (node.allocatable === undefined) return { node, hostPorts }
  let { cpuMilli, memoryBytes } = node.allocatable
  for (const { placement } of running) {
    cpuMilli -= placement?.requests.cpuMilli ?? 0
    memoryBytes -= placement?.requests.memoryBytes ?? 0
  }
  return { node, hostPorts, free: { cpuMilli, memoryBytes, pods: node.allocatable.pods - running.length } }
}

const isOpen = (node: Node, { tolerations }: PodPlacement): boolean =>
  node.ready === 'True' &&
  !node.unschedulable &&
  node.deleting !== true &&
  node.taints.every(
    (taint) => taint.effect === 'PreferNoSchedule' || tolerations.some((toleration) => tolerates(toleration, taint)),
  )

/** Of the conditions of a node, which pass. */
const OF_KUBERNETES = 'node.kubernetes.io/'

/** What keeps the pod from its node for good: no reboot ends it, and no roll takes it off. */
export function lastingTaint({ taints, unschedulable }: Node, { tolerations }: PodPlacement): Taint | undefined {
  const lasting = taints.filter(
    ({ key, effect }) => effect !== 'PreferNoSchedule' && !key.startsWith(OF_KUBERNETES) && key !== OUT_TAINT.key,
  )
  return [...(unschedulable ? [CORDON_TAINT] : []), ...lasting].find(
    (taint) => !tolerations.some((toleration) => tolerates(toleration, taint)),
  )
}

const isWanted = (node: Node, { nodeSelector, terms }: PodPlacement): boolean =>
  Object.entries(nodeSelector).every(([key, value]) => node.labels[key] === value) &&
  (terms === undefined || whyNotMatched(terms, node) === undefined)

const cpuOf = ({ free }: Place): number => free?.cpuMilli ?? Number.POSITIVE_INFINITY

function mostFree(one: Place, other: Place): number {
  const [left, right] = [cpuOf(one), cpuOf(other)]
  return left === right ? 0 : right - left
}
