import type { ApiObject } from '../world/api-object.ts'
import { NODES, PODS, VOLUME_CLAIMS } from '../world/api-resource.ts'
import { keyOf } from '../world/store.ts'
import { stampOf, type World } from '../world/world.ts'
import { APART_FROM_OTHERS, apartRule, OTHERS_APART, setsFree } from './anti-affinity.ts'
import { namedNodes } from './node-affinity.ts'
import type { NodeObject } from './node-object.ts'
import { bestNode } from './node-ranking.ts'
import { nodeRefusal } from './node-refusal.ts'
import { ObjectIndex } from './object-index.ts'
import { placementChanged } from './placement-changed.ts'
import { type PodIndex, podIndexOf } from './pod-index.ts'
import { type Condition, isFinished, isGoing, type PodObject } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import { claimsOf, volumesOf } from './volume-object.ts'
import { withCondition } from './with-condition.ts'

const LAG_MS = 20
/** The search ends after this many nodes that would take the pod (schedule_one.go, minFeasibleNodesToFind). */
const ENOUGH_NODES = 100
const WAITING = 'waiting'

/** Gives pods without a node one, where one takes them. The returned function ends it. */
export function runScheduler(parts: ActorParts): () => void {
  const { world } = parts
  const waiting = new ObjectIndex<PodObject>(world.store, PODS, (pod) => (isWaiting(pod) ? [WAITING] : []))
  const place = placer(world)
  const end = runReconciler(parts, {
    watches: [
      [PODS, ({ type, object }) => (type !== 'DELETED' && isWaiting(object) ? [keyOf(object.metadata)] : [])],
      [
        PODS,
        (change) =>
          waiting
            .of(WAITING)
            .filter((pod) => setsFree(world, change, pod))
            .map(podKey),
      ],
      [NODES, (change) => (placementChanged(change) ? waiting.of(WAITING).map(podKey) : [])],
      [
        VOLUME_CLAIMS,
        ({ object }) =>
          waiting
            .of(WAITING)
            .filter(({ metadata }) => metadata.namespace === object.metadata.namespace)
            .map(podKey),
      ],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const pod = world.store.get(PODS, { namespace, name }) as PodObject | undefined
      if (pod !== undefined && isWaiting(pod)) place(pod)
      return undefined
    },
  })
  return () => {
    end()
    waiting.end()
  }
}

const podKey = ({ metadata }: ApiObject): string => keyOf(metadata)

function isWaiting(object: ApiObject): boolean {
  const pod = object as PodObject
  return (pod.spec.nodeName ?? '') === '' && !isGoing(pod) && !isFinished(pod)
}

function placer(world: World): (pod: PodObject) => void {
  const pods = podIndexOf(world)
  // The start of the search moves on, so that in a large cluster every node has its turn.
  let start = 0
  return (pod) => {
    const nodes = [...world.store.all(NODES)] as NodeObject[]
    const unbound = claimRefusal(world, pod)
    if (unbound !== undefined) {
      refuse(world, pod, noNode(nodes.length, unbound, []))
      return
    }
    const found = search(world, pod, { nodes: rotated(nodes, start), pods })
    start = nodes.length === 0 ? 0 : (start + found.asked) % nodes.length
    const node = bestNode(found.fitting, pod, pods)
    if (node !== undefined) bind(world, pod, node.metadata.name)
    else if (nodes.length === 0) refuse(world, pod, 'no nodes available to schedule pods')
    else refuse(world, pod, noNode(nodes.length, histogram(found.refusals), found.refusals))
  }
}

/** A pod whose volumes are not known fits nowhere (volumebinding, PreFilter). */
function claimRefusal(world: World, pod: PodObject): string | undefined {
  for (const [name, claim] of claimsOf(world, pod)) {
    if (claim === undefined || isGoing(claim)) return `persistentvolumeclaim "${name}" not found`
    if (claim.status?.phase !== 'Bound') return 'pod has unbound immediate PersistentVolumeClaims'
  }
  return undefined
}

const rotated = <T>(list: readonly T[], start: number): readonly T[] =>
  start === 0 ? list : [...list.slice(start), ...list.slice(0, start)]

interface Search {
  readonly fitting: readonly NodeObject[]
  readonly refusals: readonly string[]
  readonly asked: number
}

interface Searched {
  readonly nodes: readonly NodeObject[]
  readonly pods: PodIndex
}

function search(world: World, pod: PodObject, { nodes, pods }: Searched): Search {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const named = required === undefined ? undefined : namedNodes(required)
  const volumes = volumesOf(world, pod)
  const apart = apartRule(world, pod, pods)
  const fitting: NodeObject[] = []
  const refusals: string[] = []
  let asked = 0
  const candidates =
    named?.flatMap((name) => (world.store.get(NODES, { name }) as NodeObject | undefined) ?? []) ?? nodes
  for (const node of candidates) {
    asked += 1
    const refusal = nodeRefusal(node, pod, volumes) ?? apart?.(node)
    if (refusal === undefined) fitting.push(node)
    else refusals.push(refusal)
    if (fitting.length === ENOUGH_NODES) break
  }
  const others = nodes.length - candidates.length
  const unnamed = named === undefined ? [] : Array.from({ length: others }, () => NOT_NAMED)
  return { fitting, refusals: [...refusals, ...unnamed], asked: named === undefined ? asked : 0 }
}

const NOT_NAMED = "node(s) didn't satisfy plugin(s) [NodeAffinity]"

/** `1 node(s) were unschedulable, 2 …`, sorted as text (pkg/scheduler/framework/types.go, FitError). */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`)
  return texts.toSorted().join(', ')
}

function noNode(nodes: number, why: string, refusals: readonly string[]): string {
  const preemptable = refusals.filter((refusal) => refusal === APART_FROM_OTHERS || refusal === OTHERS_APART).length
  const preemption = histogram([
    ...Array.from({ length: preemptable }, () => 'No preemption victims found for incoming pod'),
    ...Array.from({ length: nodes - preemptable }, () => 'Preemption is not helpful for scheduling'),
  ])
  return (
    `0/${nodes} nodes are available: ${why}. no new claims to deallocate, preemption: ` +
    `0/${nodes} nodes are available: ${preemption}.`
  )
}

function bind(world: World, pod: PodObject, nodeName: string): void {
  const condition = { type: 'PodScheduled', status: 'True' } as const
  put(world, { ...pod, spec: { ...pod.spec, nodeName } }, condition)
}

function refuse(world: World, pod: PodObject, message: string): void {
  const said = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (said?.status === 'False' && said.message === message) return
  put(world, pod, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message })
}

function put(world: World, pod: PodObject, condition: Condition): void {
  const dated = { ...condition, lastTransitionTime: stampOf(world.clock.wallMs()) }
  const conditions = withCondition(pod.status?.conditions, dated)
  world.store.put(PODS, { ...pod, status: { phase: 'Pending', ...pod.status, conditions } })
}
