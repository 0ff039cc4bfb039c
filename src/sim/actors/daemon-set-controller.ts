import { isDeepStrictEqual } from 'node:util'
import type { ApiObject } from '../world/api-object.ts'
import { DAEMON_SETS, NODES, PODS } from '../world/api-resource.ts'
import { type Change, keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { targetOf } from './daemon-placement.ts'
import type { DaemonSetObject } from './daemon-set-object.ts'
import { DaemonSetSync } from './daemon-set-sync.ts'
import { ObjectIndex } from './object-index.ts'
import { placementChanged } from './placement-changed.ts'
import { controllerOf, isGoing, type PodObject } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

const LAG_MS = 10

/** Keeps a pod of each DaemonSet on every node that should have one. The returned function ends it. */
export function runDaemonSetController(parts: ActorParts): () => void {
  const { world } = parts
  const pods = new ObjectIndex<PodObject>(world.store, PODS, daemonGroups)
  const syncs = new Map<string, DaemonSetSync>()
  const syncOf = ({ metadata }: ApiObject): DaemonSetSync => {
    const known = syncs.get(metadata.uid)
    const sync = known ?? new DaemonSetSync(world, (node) => pods.of(`${metadata.uid} ${node}`))
    if (known === undefined) syncs.set(metadata.uid, sync)
    return sync
  }
  const end = runReconciler(parts, {
    watches: [
      [DAEMON_SETS, (change) => changedSet(change, syncs, syncOf)],
      [NODES, (change) => (placementChanged(change) ? changedNode(world, change, syncOf) : [])],
      [PODS, ({ object, previous }) => changedPod(world, [object, ...(previous ? [previous] : [])], syncOf)],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const set = world.store.get(DAEMON_SETS, { namespace, name }) as DaemonSetObject | undefined
      if (set === undefined || isGoing(set)) return undefined
      const { status, again } = syncOf(set).run(set)
      if (!isDeepStrictEqual(status, set.status)) world.store.put(DAEMON_SETS, { ...set, status })
      return again
    },
  })
  return () => {
    end()
    pods.end()
  }
}

type SyncOf = (set: ApiObject) => DaemonSetSync

function daemonGroups(pod: PodObject): readonly string[] {
  const owner = controllerOf(pod)
  return owner?.kind === DAEMON_SETS.kind ? [`${owner.uid} ${targetOf(pod) ?? ''}`] : []
}

function changedSet(change: Change, syncs: Map<string, DaemonSetSync>, syncOf: SyncOf): readonly string[] {
  const { type, object, previous } = change
  if (type === 'DELETED') {
    syncs.delete(object.metadata.uid)
    return []
  }
  if (previous === undefined || previous.spec !== object.spec) syncOf(object).touchAll()
  return [keyOf(object.metadata)]
}

/** A node that lacks no pod and has no pod that must leave changes no number yet (daemon_controller.go, syncNodeUpdate). */
function changedNode(world: World, { type, object }: Change, syncOf: SyncOf): readonly string[] {
  return [...world.store.all(DAEMON_SETS)].flatMap((set) => {
    const sync = syncOf(set)
    sync.touch(object.metadata.name)
    return type !== 'MODIFIED' || sync.isDue(set as DaemonSetObject, object.metadata.name) ? [keyOf(set.metadata)] : []
  })
}

function changedPod(world: World, states: readonly ApiObject[], syncOf: SyncOf): readonly string[] {
  const keys = states.flatMap((state) => {
    const owner = controllerOf(state)
    if (owner?.kind !== DAEMON_SETS.kind) return []
    const set = world.store.get(DAEMON_SETS, { name: owner.name, namespace: state.metadata.namespace ?? '' })
    if (set?.metadata.uid !== owner.uid) return []
    syncOf(set).touch(targetOf(state as PodObject) ?? '')
    return [keyOf(set.metadata)]
  })
  return [...new Set(keys)]
}
