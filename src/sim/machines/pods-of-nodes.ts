import { podIndexOf } from '../actors/pod-index.ts'
import { PODS } from '../world/api-resource.ts'
import type { ObjectKey } from '../world/store.ts'
import type { World } from '../world/world.ts'
import type { NodePod } from './node-pod.ts'

type PodSink = (pod: NodePod, isGone: boolean) => void

/** What each kubelet's watch by `spec.nodeName` shows: one look at a change for all of them. */
export class PodsOfNodes {
  readonly #world: Pick<World, 'store'>
  readonly #sinks = new Map<string, PodSink>()
  readonly #end: () => void

  constructor(world: Pick<World, 'store'>) {
    this.#world = world
    this.#end = world.store.subscribe(PODS, ({ object, type }) => {
      const pod = object as NodePod
      if (pod.spec.nodeName !== undefined) this.#sinks.get(pod.spec.nodeName)?.(pod, type === 'DELETED')
    })
  }

  of(node: string): readonly NodePod[] {
    return podIndexOf(this.#world).onNode(node) as readonly NodePod[]
  }

  get(key: ObjectKey): NodePod | undefined {
    return this.#world.store.get(PODS, key) as NodePod | undefined
  }

  /** Of every pod of the node that is added, changed or gone; one follower a node. The returned function ends it. */
  follow(node: string, sink: PodSink): () => void {
    this.#sinks.set(node, sink)
    return () => {
      if (this.#sinks.get(node) === sink) this.#sinks.delete(node)
    }
  }

  end(): void {
    this.#end()
  }
}
