import { disruptPod } from '../actors/disrupt-pod.ts'
import type { NodeObject } from '../actors/node-object.ts'
import { podIndexOf } from '../actors/pod-index.ts'
import { isGoing, type PodObject } from '../actors/pod-object.ts'
import { DISRUPTION_BUDGETS, PODS } from '../world/api-resource.ts'
import type { BudgetObject } from '../world/budget-object.ts'
import { labelTest } from '../world/label-selector.ts'
import type { World } from '../world/world.ts'
import { type PlacedPods, placedAfter } from './placed-pods.ts'
import type { Refusal } from './refusal.ts'
import { priorityOf, ruleFor } from './search-nodes.ts'

const PREEMPTED = 'PreemptionByScheduler'

export interface Candidate {
  readonly node: NodeObject
  /** Those that matter most first. */
  readonly victims: readonly PodObject[]
  /** How many of them their budgets would keep. */
  readonly violations: number
}

/** Which pods would have to go for a pod (KEP-0564; framework/plugins/defaultpreemption). */
export type Preemption =
  /** The best candidates, which are equally good. */
  | { readonly kind: 'candidates'; readonly equal: readonly [Candidate, ...Candidate[]] }
  /** By the name of each node that pods could have left. */
  | { readonly kind: 'none'; readonly reasons: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: 'notEligible'; readonly message: string }

interface Preempting {
  readonly pod: PodObject
  readonly nodes: readonly NodeObject[]
  readonly placed: PlacedPods
  readonly refused: ReadonlyMap<string, Refusal>
}

export function preemptionFor(world: World, parts: Preempting): Preemption {
  const message = whyNotEligible(parts)
  if (message !== undefined) return { kind: 'notEligible', message }
  const candidates: Candidate[] = []
  const reasons = new Map<string, readonly string[]>()
  for (const node of parts.nodes) {
    if (parts.refused.get(node.metadata.name)?.isFinal !== false) continue
    const chosen = victimsOn(world, parts, node)
    if ('reasons' in chosen) reasons.set(node.metadata.name, chosen.reasons)
    else candidates.push(chosen)
  }
  const [first, ...more] = best(candidates)
  return first === undefined ? { kind: 'none', reasons } : { kind: 'candidates', equal: [first, ...more] }
}

/** Those that matter less give up the room that is kept for them on the node, and the victims are deleted (prepareCandidate). */
export function driveOut(world: World, pod: PodObject, { node, victims }: Candidate): void {
  for (const kept of podIndexOf(world).nominatedTo(node.metadata.name)) {
    if (!isLower(kept, pod)) continue
    const { nominatedNodeName: _, ...status } = kept.status ?? {}
    world.store.put(PODS, { ...kept, status })
  }
  const message = `${pod.spec.schedulerName}: preempting to accommodate a higher priority pod`
  for (const victim of victims) {
    if (!isGoing(victim)) disruptPod(world, { pod: victim, reason: PREEMPTED, message, options: {} })
  }
}

/** It may not, or the pods that it has driven out are still going. */
function whyNotEligible({ pod, placed, refused }: Preempting): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
  const { nominatedNodeName: nominated = '' } = pod.status ?? {}
  if (nominated === '' || refused.get(nominated)?.isFinal === true) return undefined
  const isAwaited = placed.onNode(nominated).some((other) => isLower(other, pod) && isDrivenOut(other))
  return isAwaited ? 'not eligible due to a terminating pod on the nominated node.' : undefined
}

const isLower = (other: PodObject, pod: PodObject): boolean => priorityOf(other.spec) < priorityOf(pod.spec)

const isDrivenOut = (pod: PodObject): boolean =>
  isGoing(pod) &&
  pod.status?.conditions?.some(({ type, reason }) => type === 'DisruptionTarget' && reason === PREEMPTED) === true

/** As few as possible: all lower pods are taken away, and given back where the pod fits beside them (SelectVictimsOnNode). */
function victimsOn(
  world: World,
  { pod, nodes, placed }: Preempting,
  node: NodeObject,
): Candidate | { readonly reasons: readonly string[] } {
  const lower = placed.onNode(node.metadata.name).filter((other) => isLower(other, pod))
  if (lower.length === 0) return { reasons: ['No preemption victims found for incoming pod'] }
  const gone = new Set(lower)
  const refusalNow = (): Refusal | undefined =>
    ruleFor(world, { pod, nodes, placed: placedAfter(placed, { without: gone }) })(node)
  const refused = refusalNow()
  if (refused !== undefined) return { reasons: refused.reasons }
  const isKept = keptByBudgets(world)
  const guarded: PodObject[] = []
  const free: PodObject[] = []
  for (const other of byImportance(lower)) (isKept(other) ? guarded : free).push(other)
  for (const other of [...guarded, ...free]) {
    gone.delete(other)
    if (refusalNow() !== undefined) gone.add(other)
  }
  const victims = byImportance([...gone])
  return { node, victims, violations: guarded.filter((other) => gone.has(other)).length }
}

/**
 * The higher priority first, and of equal pods the one that has run for longer (util.MoreImportantPod). Of those that have not begun the last one
 * comes first: each begins "now" when it is asked, so the one that is asked first began earlier.
 */
function byImportance(pods: readonly PodObject[]): readonly PodObject[] {
  const turns = new Map(pods.map((pod, at) => [pod, pod.status?.startTime === undefined ? -at : at]))
  const turnOf = (pod: PodObject): number => turns.get(pod) ?? 0
  return pods.toSorted(
    (a, b) => priorityOf(b.spec) - priorityOf(a.spec) || startOf(a) - startOf(b) || turnOf(a) - turnOf(b),
  )
}

/** A pod that has not begun counts as beginning now. */
function startOf({ status }: PodObject): number {
  return status?.startTime === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(status.startTime)
}

/** Counts what budgets allow, pod by pod: those beyond that are kept if another way is found (filterPodsWithPDBViolation). */
function keptByBudgets({ store }: World): (pod: PodObject) => boolean {
  const budgets = ([...store.all(DISRUPTION_BUDGETS)] as BudgetObject[]).map((budget) => ({
    budget,
    left: budget.status.disruptionsAllowed ?? 0,
  }))
  return (pod) => {
    let isKept = false
    for (const each of budgets) {
      if (!isGuarding(each.budget, pod)) continue
      each.left -= 1
      isKept ||= each.left < 0
    }
    return isKept
  }
}

function isGuarding({ metadata, spec: { selector }, status }: BudgetObject, pod: PodObject): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {}
  return (
    metadata.namespace === pod.metadata.namespace &&
    Object.keys(matchLabels).length + matchExpressions.length > 0 &&
    labelTest(selector)(pod.metadata.labels) &&
    status.disruptedPods?.[pod.metadata.name] === undefined
  )
}

/** Each of these decides where the one before leaves several, and the smallest is best (pickOneNodeForPreemption). */
const COSTS: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims: [first] }) => (first === undefined ? 0 : priorityOf(first.spec)),
  ({ victims }) => victims.reduce((sum, { spec }) => sum + priorityOf(spec) + 2 ** 31, 0),
  ({ victims }) => victims.length,
  // Of the highest, those that have run for longest come first; the shorter they have run, the better.
  ({ victims: [first] }) => (first === undefined ? 0 : -startOf(first)),
]

const best = (candidates: readonly Candidate[]): readonly Candidate[] =>
  COSTS.reduce((left, costOf) => {
    const least = Math.min(...left.map(costOf))
    return left.filter((candidate) => costOf(candidate) === least)
  }, candidates)
