import { NODES } from '../world/api-resource.ts'
import { stampOf } from '../world/world.ts'
import type { NodeObject } from './node-object.ts'
import { mendedTaints, withTaints } from './node-taints.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

const LAG_MS = 10

/** Keeps new pods away from nodes that are cordoned, not ready or short of something. The returned function ends it. */
export function runNodeTainter(parts: ActorParts): () => void {
  const { world } = parts
  const mended = (node: NodeObject) => mendedTaints(node, 'NoSchedule', stampOf(world.clock.wallMs()))
  return runReconciler(parts, {
    watches: [
      [
        NODES,
        ({ type, object }) =>
          type !== 'DELETED' && mended(object as NodeObject) !== undefined ? [object.metadata.name] : [],
      ],
    ],
    lagMs: LAG_MS,
    sync: (name) => {
      const node = world.store.get(NODES, { name }) as NodeObject | undefined
      const taints = node && mended(node)
      if (node !== undefined && taints !== undefined) world.store.put(NODES, withTaints(node, taints))
      return undefined
    },
  })
}
