import { NODES, PODS } from '../world/api-resource.ts'
import { disruptPod } from './disrupt-pod.ts'
import { podIndexOf } from './pod-index.ts'
import type { PodObject } from './pod-object.ts'
import type { ActorParts } from './run-reconciler.ts'

/** How long a node has to be gone before its pods are deleted (gc_controller.go, quarantineTime). */
const QUARANTINE_MS = 40_000

/** Deletes pods of nodes that are gone. The returned function ends it. */
export function runPodGarbageCollector({ world, timers }: ActorParts): () => void {
  const suspects = new Map<string, () => void>()
  const isGone = (name: string): boolean => name !== '' && world.store.get(NODES, { name }) === undefined
  const collect = (name: string): void => {
    suspects.delete(name)
    if (!isGone(name)) return
    for (const pod of podIndexOf(world).onNode(name)) {
      const options = { gracePeriodSeconds: 0 }
      disruptPod(world, { pod, reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists', options })
    }
  }
  const suspect = (name: string): void => {
    if (!isGone(name) || suspects.has(name)) return
    suspects.set(
      name,
      timers.later(QUARANTINE_MS, () => collect(name)),
    )
  }
  const suspectOf = (pod: PodObject): void => suspect(pod.spec.nodeName ?? '')
  for (const pod of world.store.all(PODS)) suspectOf(pod as PodObject)
  const ends = [
    world.store.subscribe(NODES, ({ object }) => suspect(object.metadata.name)),
    world.store.subscribe(PODS, ({ type, object }) => {
      if (type !== 'DELETED') suspectOf(object as PodObject)
    }),
  ]
  return () => {
    for (const end of ends) end()
    for (const callOff of suspects.values()) callOff()
    suspects.clear()
  }
}
