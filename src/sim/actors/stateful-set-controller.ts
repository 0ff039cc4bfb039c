import { isDeepStrictEqual } from 'node:util'
import { PODS, STATEFUL_SETS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import { keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { ownerKeys } from './owned-pods.ts'
import { availabilityOf, isAvailable } from './pod-availability.ts'
import { podIndexOf } from './pod-index.ts'
import { isFinished, isGoing, type PodObject } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import { createStatefulPod, ordinalOf, REVISION_LABEL } from './stateful-pod.ts'
import type { StatefulSetObject } from './stateful-set-object.ts'
import { statefulSetStatus } from './stateful-set-status.ts'
import { templateHash } from './template-hash.ts'

const LAG_MS = 10
const AGAIN_MS = 1_000

/** Keeps the numbered pods of each StatefulSet. The returned function ends it. */
export function runStatefulSetController(parts: ActorParts): () => void {
  const { world } = parts
  return runReconciler(parts, {
    watches: [
      [STATEFUL_SETS, ({ object }) => [keyOf(object.metadata)]],
      [PODS, (change) => ownerKeys(STATEFUL_SETS.kind, change)],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const set = world.store.get(STATEFUL_SETS, { namespace, name }) as StatefulSetObject | undefined
      return set === undefined ? undefined : sync(world, set)
    },
  })
}

function sync(world: World, set: StatefulSetObject): number | undefined {
  const revision = `${set.metadata.name}-${templateHash(set.spec.template)}`
  const isRefused = !isGoing(set) && step(world, set, revision) === 'refused'
  const pods = podsOf(world, set)
  const nowMs = world.clock.wallMs()
  const status = statefulSetStatus({ set, pods, revision, nowMs })
  if (!isDeepStrictEqual(status, set.status)) world.store.put(STATEFUL_SETS, { ...set, status })
  return isRefused ? AGAIN_MS : availabilityOf(pods, set.spec.minReadySeconds ?? 0, nowMs).againMs
}

const podsOf = (world: World, { metadata }: StatefulSetObject): readonly PodObject[] =>
  podIndexOf(world).ofController(metadata.uid)

type Step = 'refused' | 'waits' | 'done'

/** First the wanted pods, then those too many, then those of another template (stateful_set_control.go, updateStatefulSet). */
function step(world: World, set: StatefulSetObject, revision: string): Step {
  const filled = fill(world, set, revision)
  if (filled !== 'done') return filled
  const { wanted, condemned } = sorted(world, set)
  if (condemn(world, set, { wanted, condemned }) === 'waits') return 'waits'
  return update(world, set, { wanted, revision })
}

const isOrdered = ({ spec }: StatefulSetObject): boolean => spec.podManagementPolicy !== 'Parallel'

function isHealthy(world: World, { spec }: StatefulSetObject, pod: PodObject): boolean {
  return !isGoing(pod) && isAvailable(pod, spec.minReadySeconds ?? 0, world.clock.wallMs())
}

function fill(world: World, set: StatefulSetObject, revision: string): Step {
  const { replicas = 1, ordinals } = set.spec
  const first = ordinals?.start ?? 0
  const byOrdinal = new Map(podsOf(world, set).map((pod) => [ordinalOf(set, pod), pod]))
  for (let ordinal = first; ordinal < first + replicas; ordinal += 1) {
    const pod = byOrdinal.get(ordinal)
    if (pod !== undefined && isFinished(pod) && !isGoing(pod)) remove(world, pod)
    // The name is free only once the one before has gone for good.
    const isFree = pod === undefined || (isFinished(pod) && !isGoing(pod))
    if (isFree && !createStatefulPod(world, set, { ordinal, revision })) return 'refused'
    if (isOrdered(set) && (pod === undefined || !isHealthy(world, set, pod))) return 'waits'
  }
  return 'done'
}

interface Sorted {
  /** By ordinal. */
  readonly wanted: readonly PodObject[]
  /** The highest first. */
  readonly condemned: readonly PodObject[]
}

function sorted(world: World, set: StatefulSetObject): Sorted {
  const { replicas = 1, ordinals } = set.spec
  const first = ordinals?.start ?? 0
  const numbered = podsOf(world, set)
    .map((pod) => ({ pod, ordinal: ordinalOf(set, pod) ?? -1 }))
    .filter(({ ordinal }) => ordinal >= 0)
    .toSorted((a, b) => a.ordinal - b.ordinal)
  const isWanted = ({ ordinal }: { readonly ordinal: number }): boolean =>
    ordinal >= first && ordinal < first + replicas
  return {
    wanted: numbered.filter(isWanted).map(({ pod }) => pod),
    condemned: numbered
      .filter((each) => !isWanted(each))
      .map(({ pod }) => pod)
      .toReversed(),
  }
}

function condemn(world: World, set: StatefulSetObject, { condemned }: Sorted): Step {
  const firstIll = condemned.toReversed().find((pod) => !isHealthy(world, set, pod))
  for (const pod of condemned) {
    if (isGoing(pod)) {
      if (isOrdered(set)) return 'waits'
      continue
    }
    if (isOrdered(set) && !isHealthy(world, set, pod) && pod !== firstIll) return 'waits'
    remove(world, pod)
    if (isOrdered(set)) return 'waits'
  }
  return 'done'
}

interface Updating {
  readonly wanted: readonly PodObject[]
  readonly revision: string
}

/** One pod at a time from the last to the first; stops at a pod that is not healthy. */
function update(world: World, set: StatefulSetObject, { wanted, revision }: Updating): Step {
  const { updateStrategy, ordinals } = set.spec
  if (updateStrategy?.type === 'OnDelete') return 'done'
  const lowest = (ordinals?.start ?? 0) + (updateStrategy?.rollingUpdate?.partition ?? 0)
  for (const pod of wanted.toReversed()) {
    if ((ordinalOf(set, pod) ?? 0) < lowest) break
    if (pod.metadata.labels?.[REVISION_LABEL] !== revision && !isGoing(pod)) {
      remove(world, pod)
      return 'waits'
    }
    if (!isHealthy(world, set, pod)) return 'waits'
  }
  return 'done'
}

function remove(world: World, pod: PodObject): void {
  deleteObject(world, { resource: PODS, old: pod, options: {} })
}
