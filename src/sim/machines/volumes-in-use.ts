import { isAttachable, uniqueName } from '../actors/csi-volume.ts'
import { claimNames, isFinished } from '../actors/pod-object.ts'
import { volumesOf } from '../actors/volume-object.ts'
import type { World } from '../world/world.ts'
import type { NodePod } from './node-pod.ts'
import type { PodsOfNodes } from './pods-of-nodes.ts'

interface VolumeParts {
  readonly world: World
  readonly pods: PodsOfNodes
}

/**
 * The volumes of drivers that a kubelet has in use: from when it hears of a pod until all containers of the pod have ended, also
 * where the API no longer knows the pod (pkg/kubelet/volumemanager, GetVolumesInUse).
 */
export class VolumesInUse {
  readonly #parts: VolumeParts
  /** Pods with claims, by uid. */
  readonly #pods = new Map<string, NodePod>()

  constructor(parts: VolumeParts) {
    this.#parts = parts
  }

  begin(pod: NodePod): void {
    if (claimNames(pod).length > 0) this.#pods.set(pod.metadata.uid, pod)
  }

  /** Nothing of the pod is left. */
  end({ metadata }: NodePod): void {
    this.#pods.delete(metadata.uid)
  }

  /** In order. */
  get names(): readonly string[] {
    if (this.#pods.size === 0) return []
    const { world, pods } = this.#parts
    const names = [...this.#pods.values()].flatMap((pod) => {
      const now = pods.get(pod.metadata)
      const hasEnded = now?.metadata.uid === pod.metadata.uid && isFinished(now)
      return hasEnded ? [] : volumesOf(world, pod).filter(isAttachable).map(uniqueName)
    })
    return [...new Set(names)].toSorted()
  }
}
