import { isDeepStrictEqual } from 'node:util'
import { CONTROLLER_REVISIONS, PODS, STATEFUL_SETS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import { keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { ObjectIndex } from './object-index.ts'
import { ownerKeys } from './owned-pods.ts'
import { availabilityOf, isAvailable } from './pod-availability.ts'
import { podIndexOf } from './pod-index.ts'
import { controllerOf, isFinished, isGoing, type PodObject } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import { createStatefulPod, ordinalOf } from './stateful-pod.ts'
import {
  forgetRevisions,
  REVISION_LABEL,
  type RevisionIndex,
  type Revisions,
  revisionsOf,
} from './stateful-revisions.ts'
import type { StatefulSetObject } from './stateful-set-object.ts'
import { statefulSetStatus } from './stateful-set-status.ts'

const LAG_MS = 10

/** Keeps the numbered pods of each StatefulSet. The returned function ends it. */
export function runStatefulSetController(parts: ActorParts): () => void {
  const { world } = parts
  const revisions: RevisionIndex = new ObjectIndex(world.store, CONTROLLER_REVISIONS, (revision) => [
    controllerOf(revision)?.uid ?? '',
  ])
  const end = runReconciler(parts, {
    watches: [
      [STATEFUL_SETS, ({ object }) => [keyOf(object.metadata)]],
      [PODS, (change) => ownerKeys(STATEFUL_SETS.kind, change)],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const set = world.store.get(STATEFUL_SETS, { namespace, name }) as StatefulSetObject | undefined
      return set === undefined ? undefined : sync(world, set, revisions)
    },
  })
  return () => {
    end()
    revisions.end()
  }
}

function sync(world: World, set: StatefulSetObject, known: RevisionIndex): number | 'failed' | undefined {
  const revisions = revisionsOf(world, set, known)
  if (revisions === undefined) return 'failed'
  const isRefused = !isGoing(set) && step(world, set, revisions) === 'refused'
  const pods = podsOf(world, set)
  const nowMs = world.clock.wallMs()
  const [current, update] = [revisions.current.metadata.name, revisions.update.metadata.name]
  const status = statefulSetStatus({ set, pods, current, update, nowMs })
  forgetRevisions(world, { ...revisions, set, pods, known: known.of(set.metadata.uid) })
  if (!isDeepStrictEqual(status, set.status)) world.store.put(STATEFUL_SETS, { ...set, status })
  return isRefused ? 'failed' : availabilityOf(pods, set.spec.minReadySeconds ?? 0, nowMs).againMs
}

const podsOf = (world: World, { metadata }: StatefulSetObject): readonly PodObject[] =>
  podIndexOf(world).ofController(metadata.uid)

type Step = 'refused' | 'waits' | 'done'

/** First the wanted pods, then those too many, then those of another template (stateful_set_control.go, updateStatefulSet). */
function step(world: World, set: StatefulSetObject, revisions: Revisions): Step {
  const filled = fill(world, set, revisions)
  if (filled !== 'done') return filled
  const { wanted, condemned } = sorted(world, set)
  if (condemn(world, set, { wanted, condemned }) === 'waits') return 'waits'
  return update(world, set, { wanted, revision: revisions.update.metadata.name })
}

const isOrdered = ({ spec }: StatefulSetObject): boolean => spec.podManagementPolicy !== 'Parallel'

function isHealthy(world: World, { spec }: StatefulSetObject, pod: PodObject): boolean {
  return !isGoing(pod) && isAvailable(pod, spec.minReadySeconds ?? 0, world.clock.wallMs())
}

/** A pod below the partition comes back as it was before the rollout (stateful_set_utils.go, newVersionedStatefulSetPod). */
function fill(world: World, set: StatefulSetObject, { current, update }: Revisions): Step {
  const { replicas = 1, ordinals, updateStrategy } = set.spec
  const first = ordinals?.start ?? 0
  const firstUpdated = first + (updateStrategy?.rollingUpdate?.partition ?? 0)
  const byOrdinal = new Map(podsOf(world, set).map((pod) => [ordinalOf(set, pod), pod]))
  for (let ordinal = first; ordinal < first + replicas; ordinal += 1) {
    const pod = byOrdinal.get(ordinal)
    if (pod !== undefined && isFinished(pod) && !isGoing(pod)) remove(world, pod)
    // The name is free only once the one before has gone for good.
    const isFree = pod === undefined || (isFinished(pod) && !isGoing(pod))
    const revision = ordinal < firstUpdated ? current : update
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
