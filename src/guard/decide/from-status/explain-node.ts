import type { Node } from '../../../ground/model/node.ts'
import { present } from '../../../ground/model/present.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { labelText } from '../../model/label-text.ts'
import type { ByHand } from '../../model/node-guard.ts'
import { asksToDrain } from '../asks.ts'
import { isEntryOver } from '../by-hand.ts'
import type { CheckedGuard } from '../guard-kind.ts'
import { isTooLong } from '../pass.ts'
import { type GuardStatus, type ListedNode, parseGuardStatus, queueOf } from './parse-guard-status.ts'

/** One thing that stands between a node and its eviction, or that is out of the way. */
interface ExplainStep {
  readonly about: 'guard' | 'asks' | 'queue' | 'grant'
  /** `open`: it is out of the way; `unknown`: neither the status nor the Node says it. */
  readonly is: 'open' | 'shut' | 'unknown'
  /** A sentence without a full stop. */
  readonly text: string
}

/** All that an object and a Node say of why the node may not be evicted yet. */
export interface NodeExplanation {
  /** As the status has it; `Armed` where it says nothing of the node and the node is one of the guard. */
  readonly state: string
  readonly since?: string
  /** In the order in which they are decided. */
  readonly steps: readonly ExplainStep[]
  readonly reason?: string
  readonly message?: string
  readonly heldByHand: readonly ByHand[]
  readonly releases: readonly ByHand[]
}

type Facts = Pick<Node, 'name' | 'labels'> & Parameters<typeof asksToDrain>[0]

/** The state of a node that is none of the guard, or of which nothing says whether it is. */
const NOT_LISTED = 'NotListed'

export function explainNode(guard: CheckedGuard, node: Facts, now: WallMs): NodeExplanation {
  const status = parseGuardStatus(guard)
  const listed = status.nodes.find(({ name }) => name === node.name)
  const { reason, message, since } = listed ?? {}
  const ofNode = (entries: readonly ByHand[]) =>
    entries.filter((entry) => entry.node === node.name && !isEntryOver(entry, now))
  return {
    state: listed?.state ?? (isSurelyArmed(guard, node, status) ? 'Armed' : NOT_LISTED),
    ...present({ since }),
    steps: [guardStep(guard, node, status), asksStep(node, listed), ...waitSteps(guard, status, node.name)],
    ...present({ reason, message }),
    heldByHand: ofNode(guard.heldByHand.entries),
    // One that ends too late has no effect.
    releases: ofNode(guard.releases.entries).filter(({ until }) => !isTooLong(until, now)),
  }
}

/** By its labels; a DaemonSet is not read here. */
function isChosen({ spec: { follow } }: CheckedGuard, { labels }: Facts): boolean | undefined {
  if (follow.kind === 'daemonSet') return undefined
  return Object.entries(follow.nodeSelector).every(([key, value]) => labels[key] === value)
}

const isSurelyArmed = (guard: CheckedGuard, node: Facts, { truncated, desired }: GuardStatus): boolean =>
  !truncated && desired > 0 && isChosen(guard, node) === true && asksToDrain(node) === undefined

function guardStep(guard: CheckedGuard, node: Facts, { nodes, truncated, desired }: GuardStatus): ExplainStep {
  const { name, spec } = guard
  const listed = nodes.find((one) => one.name === node.name)
  const step = (is: ExplainStep['is'], text: string): ExplainStep => ({ about: 'guard', is, text })
  if (listed !== undefined) {
    if (listed.state === 'Draining') return step('open', 'its guard was evicted')
    if (listed.state === 'Degraded') return step('shut', 'its guard is missing or not ready')
    return step(
      'shut',
      `it has a guard, and the budget over it ${listed.state === 'Granted' ? 'is open' : 'is closed'}`,
    )
  }
  if (desired === 0) return step('open', `${name} guards no node`)
  if (truncated) return step('unknown', `${name} lists ${nodes.length} nodes, and more are not Armed`)
  if (spec.follow.kind === 'daemonSet')
    return step(
      'unknown',
      `${name} does not list it: it is Armed if it is a node of DaemonSet ${spec.follow.name}, else it has no guard`,
    )
  return isChosen(guard, node) === true
    ? step('shut', 'it has a guard, and the budget over it is closed')
    : step('open', `it does not have the labels ${labelText(spec.follow.nodeSelector)}, so ${name} does not guard it`)
}

function asksStep(node: Facts, listed: ListedNode | undefined): ExplainStep {
  const why = asksToDrain(node)
  const { requestedAt } = listed ?? {}
  const since = requestedAt === undefined ? '' : `, since ${requestedAt.replace(/\.\d+Z$/, 'Z')}`
  if (why !== undefined) return { about: 'asks', is: 'open', text: `it asks to be drained: it ${why}${since}` }
  if (requestedAt !== undefined)
    return { about: 'asks', is: 'open', text: `it asks to be drained${since}, and is not cordoned at this moment` }
  return { about: 'asks', is: 'shut', text: 'it does not ask to be drained: it is not cordoned' }
}

function waitSteps(guard: CheckedGuard, status: GuardStatus, name: string): readonly ExplainStep[] {
  const queue = queueOf(status)
  const place = queue.findIndex((one) => one.name === name)
  return [
    ...(place < 0 ? [] : [queueStep(guard.name, queue, place)]),
    ...(status.nodes.some((one) => one.name === name) ? [grantStep(guard, status, name)] : []),
  ]
}

/** Of this guard alone; the nodes of all guards of the group wait in the same order. */
function queueStep(guard: string, queue: readonly ListedNode[], place: number): ExplainStep {
  if (queue.length === 1) return { about: 'queue', is: 'open', text: `no other node of ${guard} waits` }
  const before = queue.slice(0, place).map((one) => one.name)
  const waits = `of ${queue.length} nodes of ${guard} that wait`
  if (before.length === 0) return { about: 'queue', is: 'open', text: `it is the first ${waits}` }
  const text = `it is number ${place + 1} ${waits}, after ${before.join(', ')}; nodes that are held are passed over`
  return { about: 'queue', is: 'shut', text }
}

function grantStep(
  { name: guard, spec: { group } }: CheckedGuard,
  { granted }: GuardStatus,
  name: string,
): ExplainStep {
  if (granted === name) return { about: 'grant', is: 'open', text: 'it has the grant of its group' }
  const text =
    granted === undefined
      ? `${guard} has granted no node; of all guards of group ${group} one node is granted at a time`
      : `${granted} has the grant, and one node of group ${group} has it at a time`
  return { about: 'grant', is: granted === undefined ? 'open' : 'shut', text }
}
