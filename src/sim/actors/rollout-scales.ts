import { type DeploymentObject, rollingLimits } from './deployment-object.ts'
import type { ReplicaSetObject } from './replica-set-object.ts'

interface Rollout {
  readonly deployment: DeploymentObject
  readonly current: ReplicaSetObject
  /** The oldest first. */
  readonly old: readonly ReplicaSetObject[]
  /** All pods are to be recreated, and some old ones are not gone yet. */
  readonly isHeld: boolean
}

/** The next number of replicas of a ReplicaSet. */
export type Scale = readonly [ReplicaSetObject, number]

/** The next step of a rollout; empty where it only waits (pkg/controller/deployment: rolling.go, recreate.go). */
export function rolloutScales(rollout: Rollout): readonly Scale[] {
  const { deployment, current } = rollout
  const { replicas = 1, strategy } = deployment.spec
  if (sizeOf(current) > replicas) return [[current, replicas]]
  if (strategy?.type === 'Recreate') return recreate(rollout)
  const grown = grownTo(rollout)
  return grown > sizeOf(current) ? [[current, grown]] : shrinkOld(rollout)
}

const sizeOf = ({ spec }: ReplicaSetObject): number => spec.replicas ?? 0

const totalOf = (sets: readonly ReplicaSetObject[]): number => sets.reduce((sum, set) => sum + sizeOf(set), 0)

type Paused = Pick<Rollout, 'deployment' | 'old'> & { readonly current: ReplicaSetObject | undefined }

/**
 * A pause stops the rollout, but a paused Deployment can still be scaled. All replicas go to the only ReplicaSet that has pods. If
 * there are no pods, they go to the newest ReplicaSet (sync.go, scale; deployment_util.go, FindActiveOrLatest).
 */
export function pausedScales({ deployment, current, old }: Paused): readonly Scale[] {
  const { replicas = 1, strategy } = deployment.spec
  const sets = [...(current === undefined ? [] : [current]), ...old.toReversed()]
  const active = sets.filter((set) => sizeOf(set) > 0)
  const [only = sets[0]] = active
  if (active.length < 2) return only === undefined || sizeOf(only) === replicas ? [] : [[only, replicas]]
  if (current !== undefined && sizeOf(current) === replicas && current.status?.availableReplicas === replicas)
    return emptied(old)
  return strategy?.type === 'Recreate' ? [] : shared(deployment, active)
}

/** Each ReplicaSet grows or shrinks by its share; the rest goes to the largest, and of equal ones to the newest. */
function shared(deployment: DeploymentObject, active: readonly ReplicaSetObject[]): readonly Scale[] {
  const { replicas = 1 } = deployment.spec
  const total = totalOf(active)
  const allowed = replicas === 0 ? 0 : replicas + rollingLimits(deployment).surge
  const sorted = active.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  const sizes = new Map(sorted.map((set) => [set, Math.round((sizeOf(set) * allowed) / Math.max(1, total))]))
  const [largest] = sorted
  const left = allowed - [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + left))
  return [...sizes].filter(([set, size]) => size !== sizeOf(set))
}

function recreate({ deployment, current, old, isHeld }: Rollout): readonly Scale[] {
  const { replicas = 1 } = deployment.spec
  if (totalOf(old) > 0) return emptied(old)
  return isHeld || sizeOf(current) === replicas ? [] : [[current, replicas]]
}

/** No pod of an old template may be left before the next template begins. */
export const emptied = (old: readonly ReplicaSetObject[]): readonly Scale[] =>
  old.filter((set) => sizeOf(set) > 0).map((set) => [set, 0])

/** As large as the surge allows (deployment_util.go, NewRSNewReplicas). */
function grownTo({ deployment, current, old }: Rollout): number {
  const { replicas = 1 } = deployment.spec
  const room = replicas + rollingLimits(deployment).surge - totalOf([current, ...old])
  return room <= 0 ? sizeOf(current) : Math.min(replicas, sizeOf(current) + room)
}

/** First replicas that are not available, then as many as the new ones can replace. */
function shrinkOld({ deployment, current, old }: Rollout): readonly Scale[] {
  const all = [current, ...old]
  const least = (deployment.spec.replicas ?? 1) - rollingLimits(deployment).unavailable
  const missing = sizeOf(current) - (current.status?.availableReplicas ?? 0)
  let spare = totalOf(all) - least - missing
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]))
  for (const [set, size] of sizes) {
    const idle = Math.max(0, Math.min(spare, size - (set.status?.availableReplicas ?? 0)))
    sizes.set(set, size - idle)
    spare -= idle
  }
  const available = all.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0)
  let surplus = Math.min(spare, available - least)
  for (const [set, size] of sizes) {
    const gone = Math.max(0, Math.min(surplus, size))
    sizes.set(set, size - gone)
    surplus -= gone
  }
  return [...sizes].filter(([set, size]) => size < sizeOf(set))
}
