import type { Reason } from '../../ground/model/reason.ts'
import { evenkeel, kubectl, say } from '../../ground/model/sentence.ts'
import { massDisruption } from './limits.ts'
import { isGivenUp } from './node-state.ts'
import { isFirst } from './op.ts'
import { isCanary } from './order.ts'
import { type NodeView, neverServed, type Pass } from './pass.ts'
import { placeHolds } from './place-holds.ts'

/** The node has or gets the wanted revision. */
const isMoved = ({ target }: Pass, { deployment, op }: NodeView): boolean =>
  deployment?.revision === target || op?.revision === target

/** It has the wanted revision and nothing is under way there. */
export const isDone = ({ target }: Pass, { deployment, op, overDetached }: NodeView): boolean =>
  deployment?.revision === target && op === undefined && overDetached === undefined

const isSkipped = ({ target }: Pass, { request, op }: NodeView): boolean =>
  request?.kind === 'skip' && request.of === (op?.id ?? target)

/**
 * The node is stuck at the wanted revision. One that came back with an earlier revision and whose agent is silent does not count, nor one
 * that has kept its old pods since no new one can be placed there: both say nothing about the revision.
 */
const isStuckAtTarget = ({ target }: Pass, n: NodeView): boolean =>
  n.state === 'Stuck' &&
  (n.op === undefined ||
    (n.op.revision === target && (n.deployment?.revision === target || placeHolds(n, n.op).length === 0)))

/** Nodes that count as failed. */
export const failedNodes = (pass: Pass): readonly NodeView[] =>
  pass.nodes.filter((n) => isStuckAtTarget(pass, n) && !isSkipped(pass, n))

/** So many nodes have failed that the rollout stops. */
export const isStalled = (pass: Pass): boolean =>
  failedNodes(pass).length >= pass.s.object.spec.rollout.failureThreshold

/** Canary nodes go first, unless all nodes had the revision before, so that a rollback does not wait for a person. */
const isCanaryFirst = ({ s, target }: Pass): boolean =>
  s.object.spec.rollout.canary !== undefined && s.revisions.promoted !== target && s.revisions.current !== target

/**
 * Why the rollout waits for a person after its canary nodes, in words: all that can be updated now are done. Undefined: it does not wait.
 * A selector that matches no node holds all the same.
 */
export function awaitsPromotion(pass: Pass): string | undefined {
  const waits = pass.eligible.some((n) => n.deployment !== undefined && !isMoved(pass, n) && !isCanary(pass, n))
  if (!waits || !isCanaryFirst(pass)) return undefined
  const nodes = pass.eligible.filter((n) => isCanary(pass, n))
  if (nodes.length === 0) return 'no node has the labels of the canary nodes'
  const away = nodes.filter((n) => !isDone(pass, n))
  if (!away.every((n) => cannotBeUpdated(pass, n))) return undefined
  return away.length === 0 ? 'the canary nodes are done' : `of the canary nodes all are done but ${named(away)}`
}

/** The node does not get the wanted revision for a reason of its own, which may last. */
const cannotBeUpdated = (pass: Pass, n: NodeView): boolean =>
  n.state === 'Maintenance' ||
  isSkipped(pass, n) ||
  (n.op === undefined && (isGivenUp(pass.s, n) || placeHolds(n, { revision: pass.target }).length > 0))

/** Why no node may get the wanted revision now. */
function rolloutHolds(pass: Pass): readonly Reason[] {
  const { rollout } = pass.s.object.spec
  const { name } = pass.s.object
  const failed = failedNodes(pass)
  const mass = massDisruption(pass)
  return [
    ...(pass.s.conflicts ?? []),
    ...(rollout.paused
      ? [
          {
            code: 'RolloutPaused',
            object: name,
            text: `the rollout of ${name} is paused`,
            next: say`set spec.paused to false, or run ${evenkeel`rollout resume`}`,
          } as const,
        ]
      : []),
    ...(pass.s.rollbackRefused === undefined ? [] : [pass.s.rollbackRefused]),
    ...(isStalled(pass) ? [stalled(name, failed)] : []),
    ...(mass.length > 0 ? [massReason(pass, mass)] : []),
  ]
}

const NAMED_AT_MOST = 5
export const named = (nodes: readonly NodeView[]): string =>
  [...nodes.slice(0, NAMED_AT_MOST).map((n) => n.name), ...(nodes.length > NAMED_AT_MOST ? ['…'] : [])].join(', ')

const stalled = (name: string, failed: readonly NodeView[]): Reason => ({
  code: 'RolloutStalled',
  object: name,
  text: `the rollout of ${name} has stopped because of stuck nodes: ${named(failed)}`,
  next: 'change the template, or go back to an earlier revision, or retry or skip these nodes',
})

/** The reason for a hold in a mass disruption, with the number of nodes that must be well again. */
export function massReason(pass: Pass, hit: readonly NodeView[]): Reason {
  const { name } = pass.s.object
  const tooMany = hit.length - Math.max(1, Math.floor(pass.eligible.length / 2))
  return {
    code: 'MassDisruption',
    object: name,
    text: `${hit.length} nodes of ${name} are cordoned or not Ready, more than half of them: ${named(hit)}`,
    next: say`uncordon ${tooMany} of them, or bring back those that are not Ready: ${kubectl`get nodes`} shows which`,
  }
}

/** What the holds of a node depend on beside the node. */
interface Fleet {
  /** Why no node may get the wanted revision now. */
  readonly holds: readonly Reason[]
  /** How many nodes have another revision. */
  readonly old: number
}

/** Why this node may not get the wanted revision, although others may. */
function ownHolds(pass: Pass, n: NodeView, { old }: Fleet): readonly Reason[] {
  const { partition } = pass.s.object.spec.rollout
  const reasons: Reason[] = []
  const say = (code: Reason['code'], text: string): number => reasons.push({ code, object: n.name, text })
  if (isGivenUp(pass.s, n)) say('DetachGivenUp', `the detach of ${n.name} for this revision was given up`)
  if (old <= partition)
    say(
      'PartitionKept',
      `spec.updateStrategy.rollingUpdate.partition lets ${partition} nodes keep the revision that they have`,
    )
  if (isCanaryFirst(pass) && !isCanary(pass, n))
    say('CanaryAwaited', `${n.name} is updated once the canary nodes are done and the rollout is resumed`)
  return reasons
}

/** Why the node may not go to the wanted revision now. Nothing else decides that. `fleet`: with what this pass has admitted already. */
export const targetHolds = (pass: Pass, n: NodeView, fleet: Fleet = fleetOf(pass)): readonly Reason[] => [
  ...fleet.holds,
  ...placeHolds(n, { revision: pass.target, isInMaintenance: n.state === 'Maintenance' }),
  ...ownHolds(pass, n, fleet),
]

/** Why no pods of the wanted revision are made for a node without pods. One that takes them late needs no detach for that, so it may. */
export function firstHolds(pass: Pass, n: NodeView): readonly Reason[] {
  const fleet = fleetOf(pass)
  return [...fleet.holds, ...ownHolds(pass, n, fleet)]
}

/** Nodes that still need the wanted revision. */
const oldNodes = (pass: Pass): number => pass.eligible.filter((n) => !isMoved(pass, n)).length

const FLEETS = new WeakMap<Pass, Fleet>()

/** What is the same for each node, computed once for a pass. */
export function fleetOf(pass: Pass): Fleet {
  const made = FLEETS.get(pass)
  if (made !== undefined) return made
  const fleet: Fleet = { holds: rolloutHolds(pass), old: oldNodes(pass) }
  FLEETS.set(pass, fleet)
  return fleet
}

/** Whether a node that is out may get the wanted revision: always from a failed one, otherwise by the rules. */
export const mayMove = (pass: Pass, n: NodeView, from: string): boolean =>
  from !== pass.s.revisions.current || targetHolds(pass, n).length === 0

/** The first pods start, one is ready, and they are to leave or to be replaced. That needs a slot, as with any other node. */
export function isFirstToLeave(pass: Pass, n: NodeView): boolean {
  const { op, deployment, state } = n
  if (op === undefined || !isFirst(op) || neverServed(n)) return false
  if (state === 'Leaving' || state === 'Maintenance' || deployment?.revision !== op.revision) return true
  return op.revision !== pass.target && mayMove(pass, n, op.revision)
}
