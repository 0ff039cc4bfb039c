import { namedNodes } from '../actors/node-affinity.ts'
import type { NodeObject } from '../actors/node-object.ts'
import { podIndexOf } from '../actors/pod-index.ts'
import type { PodObject } from '../actors/pod-object.ts'
import { claimsOf } from '../actors/volume-object.ts'
import { NODES } from '../world/api-resource.ts'
import type { World } from '../world/world.ts'
import { affinityRule } from './affinity-rule.ts'
import { nodeRule, volumeRule } from './node-rules.ts'
import { type PlacedPods, placedAfter } from './placed-pods.ts'
import { type NodeRule, type Refusal, refusal } from './refusal.ts'
import { portRule, roomRule } from './room-rule.ts'
import { spreadRule } from './spread-rule.ts'

/**
 * The search ends after so many nodes that would take the pod. The real one looks at up to half of a cluster of more than 200
 * nodes (schedule_one.go, numFeasibleNodesToFind), which shows in its choice alone.
 */
const ENOUGH_NODES = 100

interface Search {
  readonly fitting: readonly NodeObject[]
  /** By the name of the node; of nodes that were looked at. */
  readonly refused: ReadonlyMap<string, Refusal>
  /** The pod names its nodes, and these many others were not looked at. */
  readonly unnamed: number
  readonly asked: number
}

interface Searched {
  readonly pod: PodObject
  /** In the order in which they are looked at. */
  readonly nodes: readonly NodeObject[]
  readonly placed: PlacedPods
}

/** Looks for nodes that take the pod (schedule_one.go, findNodesThatFitPod). */
export function searchNodes(world: World, { pod, nodes, placed }: Searched): Search {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const named = required === undefined ? undefined : namedNodes(required)
  const rule = ruleFor(world, { pod, nodes, placed })
  const fitting: NodeObject[] = []
  const refused = new Map<string, Refusal>()
  const candidates =
    named?.flatMap((name) => (world.store.get(NODES, { name }) as NodeObject | undefined) ?? []) ?? nodes
  for (const node of candidates) {
    const refusal = rule(node)
    if (refusal === undefined) fitting.push(node)
    else refused.set(node.metadata.name, refusal)
    if (fitting.length === ENOUGH_NODES) break
  }
  const asked = named === undefined ? fitting.length + refused.size : 0
  return { fitting, refused, unnamed: nodes.length - candidates.length, asked }
}

/**
 * What all plugins say, the first refusal of them. Where a node is kept for pods that matter as much, it has to take the pod
 * with them and without (runtime/framework.go, RunFilterPluginsWithNominatedPods).
 */
export function ruleFor(world: World, searched: Searched): NodeRule {
  const { pod, placed } = searched
  const plain = rulesFor(world, searched)
  const index = podIndexOf(world)
  return (node) => {
    const { name } = node.metadata
    const kept = index
      .nominatedTo(name)
      .filter(({ metadata, spec }) => metadata.uid !== pod.metadata.uid && priorityOf(spec) >= priorityOf(pod.spec))
    if (kept.length === 0) return plain(node)
    const beside = kept.map((other) => ({ ...other, spec: { ...other.spec, nodeName: name } }))
    return rulesFor(world, { ...searched, placed: placedAfter(placed, { beside }) })(node) ?? plain(node)
  }
}

export const priorityOf = ({ priority = 0 }: PodObject['spec']): number => priority

function rulesFor(world: World, { pod, nodes, placed }: Searched): NodeRule {
  const rules = [
    nodeRule(pod),
    portRule(pod, placed),
    roomRule(pod, placed),
    soleUserRule(world, pod, placed),
    volumeRule(world, pod),
    spreadRule(pod, placed, nodes),
    affinityRule(world, pod, placed),
  ].filter((rule) => rule !== undefined)
  return (node) => {
    for (const rule of rules) {
      const refused = rule(node)
      if (refused !== undefined) return refused
    }
    return undefined
  }
}

/** A claim of the mode ReadWriteOncePod has one pod, wherever it is (volumerestrictions/volume_restrictions.go). */
function soleUserRule(world: World, pod: PodObject, placed: PlacedPods): NodeRule | undefined {
  const sole = claimsOf(world, pod)
    .filter(([, claim]) => claim?.spec.accessModes?.includes('ReadWriteOncePod') === true)
    .map(([name]) => name)
  if (sole.length === 0) return undefined
  const isInUse = placed
    .matching(pod.metadata.namespace ?? '', {})
    .some(({ spec }) => spec.volumes?.some(({ persistentVolumeClaim: used }) => sole.includes(used?.claimName ?? '')))
  const reason =
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'
  return isInUse ? () => refusal('VolumeRestrictions', reason) : undefined
}
