import type { DaemonSetObject } from './daemon-set-object.ts'
import type { DaemonNode, DaemonRules } from './daemon-tally.ts'
import { isAvailable } from './pod-availability.ts'
import { isFinished, isGoing, isReady, type PodObject } from './pod-object.ts'
import { shareOf } from './share-of.ts'

interface NamedNode extends DaemonNode {
  readonly name: string
}

interface Rollout {
  readonly set: DaemonSetObject
  readonly nodes: readonly NamedNode[]
  readonly rules: DaemonRules
  /** How many nodes should have a pod. */
  readonly desired: number
}

interface RolloutStep {
  /** Old pods that may go now. */
  readonly outdated: readonly PodObject[]
  /** Nodes that get a new pod beside their old one. */
  readonly surged: readonly string[]
}

interface Limits {
  readonly surge: number
  readonly unavailable: number
}

/** By `maxSurge` and `maxUnavailable`; where both are 0, one pod may be missing (update.go, updatedDesiredNodeCounts). */
export function daemonLimits({ spec: { updateStrategy } }: DaemonSetObject, desired: number): Limits {
  const { maxSurge = 0, maxUnavailable = 1 } = updateStrategy?.rollingUpdate ?? {}
  if (updateStrategy?.type === 'OnDelete') return { surge: 0, unavailable: 0 }
  const surge = shareOf(maxSurge, desired, Math.ceil)
  const unavailable = shareOf(maxUnavailable, desired, Math.ceil)
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** The next step of a rollout (pkg/controller/daemon/update.go, rollingUpdate). */
export function daemonRollout(rollout: Rollout): RolloutStep {
  const limits = daemonLimits(rollout.set, rollout.desired)
  return limits.surge === 0 ? replaced(rollout, limits) : surged(rollout, limits)
}

const isWell = (pod: PodObject, { minReadySeconds, nowMs }: DaemonRules): boolean =>
  !isGoing(pod) && isAvailable(pod, minReadySeconds, nowMs)

/** All that are not available, and as many others as may be missing. */
function replaced({ nodes, rules, desired }: Rollout, { unavailable }: Limits): RolloutStep {
  const missing = desired - nodes.filter(({ pods }) => pods.some((pod) => isWell(pod, rules))).length
  const old = nodes.flatMap(({ pods }) => pods).filter((pod) => !rules.isCurrent(pod) && !isGoing(pod))
  const well = old.filter((pod) => isWell(pod, rules))
  const ill = old.filter((pod) => !isWell(pod, rules))
  return { outdated: [...ill, ...well.slice(0, Math.max(0, unavailable - missing))], surged: [] }
}

/** An old pod goes once the new one beside it is available; one that is not available gets its new one at once. */
function surged({ nodes, rules, desired }: Rollout, { surge }: Limits): RolloutStep {
  const outdated: PodObject[] = []
  const atOnce: string[] = []
  const inTurn: string[] = []
  const misplaced: PodObject[] = []
  let surging = 0
  let available = 0
  for (const { name, pods, shouldRun } of nodes) {
    const staying = pods.filter((pod) => !isGoing(pod))
    const current = staying.find((pod) => rules.isCurrent(pod))
    const old = staying.find((pod) => !rules.isCurrent(pod))
    const counted = old ?? current
    if (counted !== undefined && isWell(counted, rules)) available += 1
    if (old === undefined) continue
    if (current !== undefined) {
      if (isWell(current, rules)) outdated.push(old)
      else surging += 1
    } else if (isWell(old, rules)) {
      if (shouldRun) inTurn.push(name)
      else misplaced.push(old)
    } else if (shouldRun) atOnce.push(name)
    else outdated.push(old)
  }
  return {
    outdated: [...outdated, ...misplaced.slice(0, Math.max(0, available - desired))],
    surged: [...atOnce, ...inTurn.slice(0, Math.max(0, surge - surging))],
  }
}

/**
 * Pods of a node that are too many, and those that have ended (daemon_controller.go, podsShouldBeOnNode). Under a surge an old
 * and a new one may be there together, while the old one is Ready and the new one is not available yet.
 */
export function excessPods(set: DaemonSetObject, pods: readonly PodObject[], rules: DaemonRules): readonly PodObject[] {
  const staying = pods.filter((pod) => !isGoing(pod))
  const ended = staying.filter(isFinished)
  const running = staying.filter((pod) => !isFinished(pod))
  if (daemonLimits(set, 1).surge === 0) return [...ended, ...running.slice(1)]
  const current = running.find((pod) => rules.isCurrent(pod))
  const old = running.find((pod) => !rules.isCurrent(pod))
  const others = running.filter((pod) => pod !== current && pod !== old)
  const isOver = old !== undefined && current !== undefined && (!isReady(old) || isWell(current, rules))
  return [...ended, ...others, ...(isOver ? [old] : [])]
}
