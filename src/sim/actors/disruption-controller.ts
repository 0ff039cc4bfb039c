import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, OwnerReference } from '../world/api-object.ts'
import {
  type ApiResource,
  DAEMON_SETS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  JOBS,
  PODS,
  REPLICA_SETS,
  resourceName,
  STATEFUL_SETS,
} from '../world/api-resource.ts'
import type { BudgetObject } from '../world/budget-object.ts'
import { labelTest } from '../world/label-selector.ts'
import { type Change, keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { type BudgetInput, budgetStatus, type GuardedPod } from './budget-status.ts'
import { ObjectIndex } from './object-index.ts'
import { podIndexOf } from './pod-index.ts'
import { controllerOf } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

/** How long after a change its controller acts on it. */
const LAG_MS = 5

type Scaled = ApiObject & { readonly spec?: { readonly replicas?: number } }

/** As the API calls them. */
const UNSCALABLE: Readonly<Record<string, string>> = {
  [JOBS.kind]: resourceName(JOBS),
  [DAEMON_SETS.kind]: resourceName(DAEMON_SETS),
}

const SCALED: Readonly<Record<string, ApiResource>> = {
  ReplicaSet: REPLICA_SETS,
  StatefulSet: STATEFUL_SETS,
  Deployment: DEPLOYMENTS,
}

/** Keeps the status of every budget up to date. The returned function ends it. */
export function runDisruptionController(parts: ActorParts): () => void {
  const { world } = parts
  const byNamespace = new ObjectIndex<BudgetObject>(world.store, DISRUPTION_BUDGETS, ({ metadata }) => [
    metadata.namespace ?? '',
  ])
  // Of several budgets one is counted anew with a pod, whichever it is (disruption.go, getPdbForPod).
  const guarding = ({ revision, object: { metadata } }: Change): readonly string[] => {
    const { namespace = '', labels } = metadata
    const budgets = byNamespace.of(namespace).filter(({ spec }) => labelTest(spec.selector)(labels))
    const chosen = budgets[revision % budgets.length]
    return chosen === undefined ? [] : [keyOf(chosen.metadata)]
  }
  const end = runReconciler(parts, {
    watches: [
      [DISRUPTION_BUDGETS, ({ object }) => [keyOf(object.metadata)]],
      [
        PODS,
        // If a budget does not select a pod any more, nothing is counted again for it (disruption.go, updatePod). Nor is anything
        // where a controller is scaled, before its next pod.
        guarding,
      ],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const budget = world.store.get(DISRUPTION_BUDGETS, { namespace, name }) as BudgetObject | undefined
      if (budget !== undefined) sync(world, budget)
      return undefined
    },
  })
  return () => {
    end()
    byNamespace.end()
  }
}

function sync(world: World, budget: BudgetObject): void {
  const pods = podIndexOf(world).matching(
    budget.metadata.namespace ?? '',
    budget.spec.selector,
  ) as readonly GuardedPod[]
  const expected: BudgetInput['expected'] = (guarded) => replicasWanted(world, guarded)
  const status = budgetStatus({ budget, pods, expected, nowMs: world.clock.wallMs() })
  if (!isDeepStrictEqual(status, budget.status)) world.store.put(DISRUPTION_BUDGETS, { ...budget, status })
}

/**
 * Each controller counts once. A pod without a controller has no share (disruption.go, getExpectedScale), though it counts as
 * healthy. If a controller cannot be scaled, no share can be computed.
 */
function replicasWanted(world: World, pods: readonly GuardedPod[]): number | { readonly unscalable: string } {
  const wanted = new Map<string, number>()
  const asked = new Set<string>()
  for (const pod of pods) {
    const { metadata } = pod
    const owner = controllerOf(pod)
    if (owner === undefined || asked.has(owner.uid)) continue
    asked.add(owner.uid)
    if (SCALED[owner.kind] === undefined)
      return { unscalable: `${UNSCALABLE[owner.kind] ?? owner.kind} does not implement the scale subresource` }
    const set = scaledBy(world, metadata.namespace, owner)
    const scaled = set === undefined ? undefined : (deploymentOf(world, set) ?? set)
    if (scaled !== undefined) wanted.set(scaled.metadata.uid, scaled.spec?.replicas ?? 1)
  }
  return [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0)
}

/** A rollout moves replicas from one ReplicaSet to the next; its Deployment wants as many as ever (disruption.go, getPodDeployment). */
function deploymentOf(world: World, set: Scaled): Scaled | undefined {
  const owner = controllerOf(set)
  return owner?.kind === DEPLOYMENTS.kind ? scaledBy(world, set.metadata.namespace, owner) : undefined
}

function scaledBy(world: World, namespace = '', { kind, name, uid }: OwnerReference): Scaled | undefined {
  const resource = SCALED[kind]
  const object =
    resource === undefined ? undefined : (world.store.get(resource, { name, namespace }) as Scaled | undefined)
  return object?.metadata.uid === uid ? object : undefined
}
