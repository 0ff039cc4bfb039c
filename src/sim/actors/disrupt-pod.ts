import { PODS } from '../world/api-resource.ts'
import { type DeleteOptions, deleteObject } from '../world/delete-object.ts'
import { stampOf, type World } from '../world/world.ts'
import type { PodObject } from './pod-object.ts'
import { withCondition } from './with-condition.ts'

export interface Disruption {
  readonly pod: PodObject
  /** Of the condition `DisruptionTarget` (Pod disruption conditions). */
  readonly reason: string
  readonly message: string
  readonly options: DeleteOptions
}

/** Deletes a pod that did nothing wrong, and says on it why. */
export function disruptPod(world: World, { pod, reason, message, options }: Disruption): void {
  const lastTransitionTime = stampOf(world.clock.wallMs())
  const target = { type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime } as const
  const conditions = withCondition(pod.status?.conditions, target)
  const old = world.store.put(PODS, { ...pod, status: { ...pod.status, conditions } })
  deleteObject(world, { resource: PODS, old, options })
}
