import type { NodeObject } from '../actors/node-object.ts'
import { podIndexOf } from '../actors/pod-index.ts'
import { type Condition, isGoing, type PodObject } from '../actors/pod-object.ts'
import { claimsOf } from '../actors/volume-object.ts'
import { withCondition } from '../actors/with-condition.ts'
import { NODES, PODS } from '../world/api-resource.ts'
import { stampOf, type World } from '../world/world.ts'
import { bestNode } from './node-ranking.ts'
import { type PlacedPods, placedPods } from './placed-pods.ts'
import { type Candidate, type Preemption, preemptionFor } from './preemption.ts'
import type { Plugin, Refusal } from './refusal.ts'
import { ruleFor, searchNodes } from './search-nodes.ts'

/** Draws one of the nodes that would do; undefined: none of them. */
export type PickNode = (pod: PodObject, nodes: readonly NodeObject[]) => NodeObject | undefined

/** A pod that no node takes. */
interface Refused {
  /** Who has refused some node. */
  readonly by: ReadonlySet<Plugin>
  /** Pods that have to go for it. */
  readonly driven?: Candidate
}

/** Tries to place a pod; undefined: it has a node now. */
export function placer(world: World, pick: PickNode | undefined): (pod: PodObject) => Refused | undefined {
  const placed = placedPods(world)
  const choose: PickNode = pick ?? ((pod, nodes) => bestNode(nodes, pod, podIndexOf(world)))
  // The start of the search moves on, so that in a large cluster every node has its turn.
  let start = 0
  return (pod) => {
    const all = [...world.store.all(NODES)] as NodeObject[]
    if (all.length === 0) {
      refuse(world, pod, { message: 'no nodes available to schedule pods', nominated: '' })
      return { by: new Set(['NodePorts']) }
    }
    const searched = { pod, nodes: rotated(all, start), placed }
    const unbound = claimRefusal(world, pod)
    if (unbound !== undefined) {
      // The plugin that is asked for a way out has not been prepared and says this (dynamicresources.go, PostFilter).
      refuse(world, pod, { message: `${available(all.length)}: ${unbound.why}. not found` })
      return { by: new Set([unbound.by]) }
    }
    const kept = all.find(({ metadata }) => metadata.name === pod.status?.nominatedNodeName)
    const isFree = kept !== undefined && ruleFor(world, searched)(kept) === undefined
    const found = isFree ? { fitting: [kept], refused: new Map(), asked: 0, unnamed: 0 } : searchNodes(world, searched)
    start = (start + found.asked) % all.length
    const node = choose(pod, found.fitting)
    if (node === undefined) return unplaced(world, { ...searched, ...reasonsOf(found), refused: found.refused, pick })
    bind(world, pod, node.metadata.name)
    return undefined
  }
}

const rotated = <T>(list: readonly T[], start: number): readonly T[] =>
  start === 0 ? list : [...list.slice(start), ...list.slice(0, start)]

/** A pod whose volumes are not known fits nowhere (PreFilter of volumerestrictions and volumebinding). */
function claimRefusal(world: World, pod: PodObject): { readonly why: string; readonly by: Plugin } | undefined {
  const claims = claimsOf(world, pod)
  const missing = claims.find(([, claim]) => claim === undefined)
  if (missing !== undefined) return { why: `persistentvolumeclaim "${missing[0]}" not found`, by: 'VolumeRestrictions' }
  for (const [name, claim] of claims) {
    if (claim !== undefined && isGoing(claim))
      return { why: `persistentvolumeclaim "${name}" is being deleted`, by: 'VolumeBinding' }
  }
  const isBound = claims.every(([, claim]) => claim?.status?.phase === 'Bound')
  return isBound ? undefined : { why: 'pod has unbound immediate PersistentVolumeClaims', by: 'VolumeBinding' }
}

interface Found {
  readonly refused: ReadonlyMap<string, Refusal>
  readonly unnamed: number
}

/** Why, and who says so. Nodes that the pod does not name are refused by its affinity. */
function reasonsOf({ refused, unnamed }: Found): Reasons {
  const all = [...refused.values()]
  const notNamed = Array.from({ length: unnamed }, () => "node(s) didn't satisfy plugin(s) [NodeAffinity]")
  const by = new Set(all.map(({ plugin }) => plugin))
  if (unnamed > 0) by.add('NodeAffinity')
  return { why: histogram([...all.flatMap(({ reasons }) => reasons), ...notNamed]), by }
}

interface Reasons {
  readonly why: string
  readonly by: ReadonlySet<Plugin>
}

interface Unplaced extends Reasons {
  readonly pod: PodObject
  readonly nodes: readonly NodeObject[]
  readonly placed: PlacedPods
  readonly refused: ReadonlyMap<string, Refusal>
  readonly pick: PickNode | undefined
}

/** Looks for pods that could go for it, and says on it what came of that. */
function unplaced(world: World, { why, by, pick, ...search }: Unplaced): Refused {
  const { pod, nodes } = search
  const preemption = preemptionFor(world, search)
  const said = `${available(nodes.length)}: ${why}.`
  if (preemption.kind === 'candidates') {
    const { equal } = preemption
    const equalNodes = equal.map(({ node }) => node)
    const drawn = pick?.(pod, equalNodes)
    const driven = equal.find(({ node }) => node === drawn) ?? equal[0]
    refuse(world, pod, { message: said, nominated: driven.node.metadata.name })
    return { by, driven }
  }
  const message = `${said} no new claims to deallocate, preemption: ${inWords(preemption, nodes.length)}`
  refuse(world, pod, { message, ...(preemption.kind === 'none' ? { nominated: '' } : {}) })
  return { by }
}

const available = (nodes: number): string => `0/${nodes} nodes are available`

function inWords(preemption: Exclude<Preemption, { readonly kind: 'candidates' }>, nodes: number): string {
  if (preemption.kind === 'notEligible') return preemption.message
  const { reasons } = preemption
  const others = Array.from({ length: nodes - reasons.size }, () => 'Preemption is not helpful for scheduling')
  return `${available(nodes)}: ${histogram([...[...reasons.values()].flat(), ...others])}.`
}

/** `1 node(s) were unschedulable, 2 …`, sorted as text (pkg/scheduler/framework/types.go, FitError). */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`)
  return texts.toSorted().join(', ')
}

function bind(world: World, pod: PodObject, nodeName: string): void {
  const { nominatedNodeName: _, ...status } = pod.status ?? {}
  put(world, { ...pod, spec: { ...pod.spec, nodeName }, status }, { type: 'PodScheduled', status: 'True' })
}

interface Saying {
  readonly message: string
  /** The node that is kept for it, empty for none; undefined: as before. */
  readonly nominated?: string
}

function refuse(world: World, pod: PodObject, { message, nominated }: Saying): void {
  const { nominatedNodeName: before = '', ...status } = pod.status ?? {}
  const said = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  const kept = nominated ?? before
  if (said?.status === 'False' && said.message === message && kept === before) return
  const next = { ...pod, status: { ...status, ...(kept === '' ? {} : { nominatedNodeName: kept }) } }
  put(world, next, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message })
}

function put(world: World, pod: PodObject, condition: Condition): void {
  const dated = { ...condition, lastTransitionTime: stampOf(world.clock.wallMs()) }
  const conditions = withCondition(pod.status?.conditions, dated)
  world.store.put(PODS, { ...pod, status: { phase: 'Pending', ...pod.status, conditions } })
}
