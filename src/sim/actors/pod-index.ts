import { PODS } from '../world/api-resource.ts'
import { labelTest, type WrittenSelector } from '../world/label-selector.ts'
import type { Store } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { ObjectIndex } from './object-index.ts'
import { antiAffinityOf, controllerOf, type PodObject } from './pod-object.ts'

/** Finds pods without a search of all of them. */
export class PodIndex {
  readonly #pods: ObjectIndex<PodObject>

  constructor(store: Store) {
    this.#pods = new ObjectIndex<PodObject>(store, PODS, groupsOf)
  }

  /** Pods of one controller, in any state. */
  ofController(uid: string): readonly PodObject[] {
    return this.#pods.of(`controller ${uid}`)
  }

  onNode(node: string): readonly PodObject[] {
    return this.#pods.of(`node ${node}`)
  }

  countOnNode(node: string): number {
    return this.#pods.count(`node ${node}`)
  }

  inNamespace(namespace: string): readonly PodObject[] {
    return this.#pods.of(`namespace ${namespace}`)
  }

  /** Pods without a controller. */
  orphansIn(namespace: string): readonly PodObject[] {
    return this.#pods.of(`orphans ${namespace}`)
  }

  /** Pods on a node whose anti-affinity keeps others away. */
  placedWithAntiAffinity(): readonly PodObject[] {
    return this.#pods.of(ANTI_AFFINITY)
  }

  /** Pods that wait for room on a node that the scheduler has chosen. */
  nominatedTo(node: string): readonly PodObject[] {
    return this.#pods.of(`nominated ${node}`)
  }

  matching(namespace: string, selector: WrittenSelector | undefined): readonly PodObject[] {
    const [pair, ...more] = Object.entries(selector?.matchLabels ?? {})
    const group = pair === undefined ? `namespace ${namespace}` : `label ${namespace} ${pair[0]}=${pair[1]}`
    // Of the pods of a group each has the one label that is asked for.
    if (pair !== undefined && more.length === 0 && selector?.matchExpressions === undefined) return this.#pods.of(group)
    const isSelected = labelTest(selector)
    return this.#pods.of(group).filter(({ metadata }) => isSelected(metadata.labels))
  }
}

const ANTI_AFFINITY = 'anti-affinity'

function groupsOf(pod: PodObject): readonly string[] {
  const { namespace = '', labels = {} } = pod.metadata
  const owner = controllerOf(pod)
  const { nodeName = '' } = pod.spec
  return [
    `namespace ${namespace}`,
    owner === undefined ? `orphans ${namespace}` : `controller ${owner.uid}`,
    ...(nodeName === '' ? nominated(pod) : [`node ${nodeName}`]),
    ...(nodeName === '' || antiAffinityOf(pod).length === 0 ? [] : [ANTI_AFFINITY]),
    ...Object.entries(labels).map(([key, value]) => `label ${namespace} ${key}=${value}`),
  ]
}

function nominated({ status }: PodObject): readonly string[] {
  const node = status?.nominatedNodeName ?? ''
  return node === '' ? [] : [`nominated ${node}`]
}

/** One index for all actors of a world: it lives as long as its store. */
const INDEXES = new WeakMap<Store, PodIndex>()

export function podIndexOf({ store }: Pick<World, 'store'>): PodIndex {
  const known = INDEXES.get(store)
  if (known !== undefined) return known
  const index = new PodIndex(store)
  INDEXES.set(store, index)
  return index
}
