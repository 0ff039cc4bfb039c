import { PODS } from '../world/api-resource.ts'
import { type DeleteOptions, deleteObject } from '../world/delete-object.ts'
import { type DisruptionMark, markDisrupted } from '../world/mark-disrupted.ts'
import type { World } from '../world/world.ts'

interface Disruption extends DisruptionMark {
  readonly options: DeleteOptions
}

/** Deletes a healthy pod, with the cause in its conditions. */
export function disruptPod(world: World, { options, ...mark }: Disruption): void {
  deleteObject(world, { resource: PODS, old: markDisrupted(world, mark), options })
}
