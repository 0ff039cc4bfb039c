import { type LabelSelector, selectorMatches } from '../../../ground/model/label-selector.ts'
import type { Pod } from '../../../ground/model/pod.ts'

interface Selecting {
  readonly namespace: string
  readonly selector: LabelSelector
}

/** Which objects of a list select a pod of their namespace, without a check of all the others. */
export class SelectingObjects<T extends Selecting> {
  readonly #byPair = new Map<string, T[]>()

  constructor(objects: readonly T[]) {
    for (const object of objects) add(this.#byPair, pairKey(object.namespace, firstPair(object.selector)), object)
  }

  of({ namespace, labels }: Pick<Pod, 'namespace' | 'labels'>): readonly T[] {
    const keys = [undefined, ...Object.entries(labels)].map((pair) => pairKey(namespace, pair))
    return keys
      .flatMap((key) => this.#byPair.get(key) ?? [])
      .filter(({ selector }) => selectorMatches(selector, labels))
  }
}

/** Which pods a selector selects, in one namespace or in all. */
export class SelectedPods {
  readonly #pods: readonly Pod[]
  #byPair: Map<string, Pod[]> | undefined

  constructor(pods: readonly Pod[]) {
    this.#pods = pods
  }

  by(selector: LabelSelector, namespaces: readonly string[] | undefined): readonly Pod[] {
    const pair = firstPair(selector)
    const candidates =
      namespaces === undefined
        ? this.#pods
        : namespaces.flatMap((namespace) => this.#index().get(pairKey(namespace, pair)) ?? [])
    return candidates.filter(({ labels }) => selectorMatches(selector, labels))
  }

  #index(): ReadonlyMap<string, readonly Pod[]> {
    if (this.#byPair !== undefined) return this.#byPair
    const byPair = new Map<string, Pod[]>()
    for (const pod of this.#pods) {
      add(byPair, pairKey(pod.namespace, undefined), pod)
      for (const pair of Object.entries(pod.labels)) add(byPair, pairKey(pod.namespace, pair), pod)
    }
    this.#byPair = byPair
    return byPair
  }
}

const firstPair = ({ matchLabels }: LabelSelector): readonly [string, string] | undefined =>
  Object.entries(matchLabels)[0]

const pairKey = (namespace: string, pair: readonly [string, string] | undefined): string =>
  pair === undefined ? namespace : `${namespace} ${pair[0]}=${pair[1]}`

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}
