import { isDeepStrictEqual } from 'node:util'
import { PODS, REPLICA_SETS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import { labelTest } from '../world/label-selector.ts'
import { keyOf } from '../world/store.ts'
import { stampOf, type World } from '../world/world.ts'
import { ObjectIndex } from './object-index.ts'
import { omitZeros } from './omit-zeros.ts'
import { controllerReference, ownedPods, ownerKeys, refusalOfPod } from './owned-pods.ts'
import { availabilityOf } from './pod-availability.ts'
import { podIndexOf } from './pod-index.ts'
import { controllerOf, isFinished, isGoing, type PodObject } from './pod-object.ts'
import { removalOrder } from './removal-order.ts'
import type { ReplicaSetObject } from './replica-set-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

const LAG_MS = 10

type Sets = ObjectIndex<ReplicaSetObject>

/** Keeps as many pods as each ReplicaSet wants. The returned function ends it. */
export function runReplicaSetController(parts: ActorParts): () => void {
  const { world } = parts
  const sets: Sets = new ObjectIndex(world.store, REPLICA_SETS, (set) => {
    const owner = controllerOf(set)
    return [inNamespace(set.metadata.namespace), ...(owner === undefined ? [] : [ofController(owner.uid)])]
  })
  const adopters = (pod: PodObject): readonly string[] =>
    controllerOf(pod) === undefined
      ? sets
          .of(inNamespace(pod.metadata.namespace))
          .filter(({ spec }) => labelTest(spec.selector)(pod.metadata.labels))
          .map(({ metadata }) => keyOf(metadata))
      : []
  const end = runReconciler(parts, {
    watches: [
      [REPLICA_SETS, ({ object }) => [keyOf(object.metadata)]],
      [PODS, (change) => [...ownerKeys(REPLICA_SETS.kind, change), ...adopters(change.object as PodObject)]],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const set = world.store.get(REPLICA_SETS, { namespace, name }) as ReplicaSetObject | undefined
      return set === undefined ? undefined : sync(world, sets, set)
    },
  })
  return () => {
    end()
    sets.end()
  }
}

const inNamespace = (name = ''): string => `namespace ${name}`

const ofController = (uid: string): string => `controller ${uid}`

function sync(world: World, sets: Sets, set: ReplicaSetObject): number | 'failed' | undefined {
  // What is being deleted makes and removes no pods, and its status goes on (replica_set.go, syncReplicaSet).
  const refusal = isGoing(set) ? undefined : manage(world, sets, set)
  const left = activePods(world, set)
  const { ready, available, againMs } = availabilityOf(left, set.spec.minReadySeconds ?? 0, world.clock.wallMs())
  const status = {
    replicas: left.length,
    ...omitZeros({
      fullyLabeledReplicas: left.length,
      readyReplicas: ready,
      availableReplicas: available,
      observedGeneration: set.metadata.generation ?? 0,
    }),
    ...failed(world, set, refusal),
  }
  if (!isDeepStrictEqual(status, set.status)) world.store.put(REPLICA_SETS, { ...set, status })
  return refusal === undefined ? againMs : 'failed'
}

/** As many pods as it wants; the answer of the API where it refuses one. */
function manage(world: World, sets: Sets, set: ReplicaSetObject): string | undefined {
  claim(world, set)
  const wanted = set.spec.replicas ?? 1
  const pods = activePods(world, set)
  let refusal: string | undefined
  for (let missing = wanted - pods.length; missing > 0 && refusal === undefined; missing -= 1) {
    refusal = refusalOfPod(world, { resource: REPLICA_SETS, owner: set, template: set.spec.template })
  }
  const tooMany = pods.length - wanted
  if (tooMany > 0) {
    const order = removalOrder(pods, { related: relatedPods(world, sets, set), nowMs: world.clock.wallMs() })
    for (const pod of order.slice(0, tooMany)) deleteObject(world, { resource: PODS, old: pod, options: {} })
  }
  return refusal
}

/** The first refusal is kept until a sync in which all pods were accepted (pkg/controller/replicaset, calculateStatus). */
function failed(
  { clock }: World,
  { status }: ReplicaSetObject,
  message: string | undefined,
): Pick<NonNullable<ReplicaSetObject['status']>, 'conditions'> {
  if (message === undefined) return {}
  const first = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message } as const
  return { conditions: status?.conditions ?? [{ ...first, lastTransitionTime: stampOf(clock.wallMs()) }] }
}

const activePods = (world: World, set: ReplicaSetObject): readonly PodObject[] =>
  ownedPods(world, set).filter((pod) => !isGoing(pod))

/** Releases pods that its selector does not match any more, and adopts those that it matches (controller_ref_manager.go). */
function claim(world: World, set: ReplicaSetObject): void {
  const isMeant = labelTest(set.spec.selector)
  for (const pod of activePods(world, set)) {
    if (isMeant(pod.metadata.labels)) continue
    const { ownerReferences = [], ...metadata } = pod.metadata
    const others = ownerReferences.filter(({ uid }) => uid !== set.metadata.uid)
    world.store.put(PODS, {
      ...pod,
      metadata: { ...metadata, ...(others.length === 0 ? {} : { ownerReferences: others }) },
    })
  }
  for (const pod of podIndexOf(world).orphansIn(set.metadata.namespace ?? '')) {
    if (!isMeant(pod.metadata.labels) || isGoing(pod) || isFinished(pod)) continue
    const { ownerReferences = [] } = pod.metadata
    const owned = [...ownerReferences, controllerReference(REPLICA_SETS, set)]
    world.store.put(PODS, { ...pod, metadata: { ...pod.metadata, ownerReferences: owned } })
  }
}

/** For all ReplicaSets of its Deployment: while one grows and the other shrinks, pods of both are on a node. */
function relatedPods(world: World, sets: Sets, set: ReplicaSetObject): readonly PodObject[] {
  const owner = controllerOf(set)
  if (owner === undefined) return []
  const related = sets
    .of(ofController(owner.uid))
    .flatMap(({ metadata, spec }) => podIndexOf(world).matching(metadata.namespace ?? '', spec.selector))
  return [...new Set(related)]
}
