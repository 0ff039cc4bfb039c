import { isFinished, type PodObject } from '../actors/pod-object.ts'
import { PODS } from '../world/api-resource.ts'
import type { Store } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { type Amounts, add, requestsOf } from './pod-requests.ts'

/** What the pods of a node take. */
export interface Usage {
  readonly pods: number
  readonly amounts: Amounts
}

export const UNUSED: Usage = { pods: 0, amounts: new Map() }

/** Pods that have a node and have not finished take room, also while they are being deleted. */
export const takesRoom = (pod: PodObject): boolean => (pod.spec.nodeName ?? '') !== '' && !isFinished(pod)

/** What each node's pods take, counted with each change of a pod and not for each search. */
class NodeUsage {
  readonly #nodes = new Map<string, { pods: number; readonly amounts: Map<string, number> }>()

  constructor(store: Store) {
    for (const pod of store.all(PODS)) this.#count(pod as PodObject, 1)
    store.subscribe(PODS, ({ type, object, previous }) => {
      const [now, before] = [object as PodObject, previous as PodObject | undefined]
      const counts = type !== 'DELETED' && takesRoom(now)
      const counted = before !== undefined && takesRoom(before)
      if (counts && counted && before.spec === now.spec) return
      if (counted) this.#count(before, -1)
      if (counts) this.#count(now, 1)
    })
  }

  of(node: string): Usage {
    return this.#nodes.get(node) ?? UNUSED
  }

  #count(pod: PodObject, sign: 1 | -1): void {
    if (!takesRoom(pod)) return
    const { nodeName = '' } = pod.spec
    const used = this.#nodes.get(nodeName) ?? { pods: 0, amounts: new Map<string, number>() }
    this.#nodes.set(nodeName, used)
    used.pods += sign
    add(used.amounts, requestsOf(pod.spec), sign)
    if (used.pods === 0) this.#nodes.delete(nodeName)
  }
}

/** One for all searches of a world: it lives as long as its store. */
const USAGES = new WeakMap<Store, NodeUsage>()

export function nodeUsageOf({ store }: Pick<World, 'store'>): NodeUsage {
  const known = USAGES.get(store)
  if (known !== undefined) return known
  const usage = new NodeUsage(store)
  USAGES.set(store, usage)
  return usage
}
