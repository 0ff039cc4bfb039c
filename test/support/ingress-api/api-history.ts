import type { ApiObject, Kind } from './api-object.ts'
import { ApiView, type Change, emptyWorld, put } from './api-view.ts'

/** The objects of each kind at one version of the store, by `namespace/name`. */
type World = Readonly<Record<Kind, ReadonlyMap<string, ApiObject>>>

/**
 * Everything that a real API server told of the kinds, from its watches. The watches of two kinds are not in step, and the versions
 * of their objects are: what stood at one moment is told by versions alone.
 */
export class ApiHistory extends ApiView {
  /** In the order in which it was told. */
  readonly #changes: Change[] = []

  constructor(kubeconfig: string) {
    super(kubeconfig)
    this.onChange((change) => this.#changes.push(change))
  }

  /** The newest version that was told. */
  version(): number {
    return Math.max(0, ...this.#changes.slice(-50).map(({ version }) => version))
  }

  /** Shows the world after each change since, in the order of the store. */
  replay(since: number, visit: (world: World, change: Change) => void): void {
    this.mustBeWhole()
    const world = emptyWorld()
    for (const change of this.#changes.toSorted((one, other) => one.version - other.version)) {
      put(world, change)
      if (change.version > since) visit(world, change)
    }
  }
}
