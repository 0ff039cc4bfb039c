import type { GuardsSeen, NodeSeen } from '../../../src/demo/guard/guard-demo-actions.ts'
import { GUARD_LABEL } from '../../../src/ground/model/guard-keys.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import { isGoing, isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { PODS } from '../../../src/sim/world/api-resource.ts'
import type { Store } from '../../../src/sim/world/store.ts'

/** Checks the pods at each change of one, and uses nothing that the controller reports or computes. */
export class PodsWitness implements GuardsSeen {
  changes = 0
  mostAway = 0
  readonly #clock: Clock
  readonly #store: Store
  readonly #nodes: readonly string[]
  readonly #seen = new Map<string, { lostAtMs: number; backAtMs?: number }>()
  readonly #unfollow: () => void

  constructor(store: Store, nodes: readonly string[], clock: Clock) {
    this.#store = store
    this.#nodes = nodes
    this.#clock = clock
    this.#unfollow = store.subscribe(PODS, () => this.#look())
    this.#look()
  }

  of(node: string): NodeSeen {
    return this.#seen.get(node) ?? {}
  }

  /** Nodes whose guard is Ready and not being deleted. */
  get guarded(): ReadonlySet<string> {
    const pods = [...this.#store.all(PODS)] as PodObject[]
    const guards = pods.filter(({ metadata }) => metadata.labels?.[GUARD_LABEL] !== undefined)
    return new Set(guards.filter((pod) => isReady(pod) && !isGoing(pod)).flatMap(({ spec }) => spec.nodeName ?? []))
  }

  end(): void {
    this.#unfollow()
  }

  #look(): void {
    this.changes += 1
    const { guarded } = this
    const away = this.#nodes.filter((node) => !guarded.has(node))
    this.mostAway = Math.max(this.mostAway, away.length)
    const nowMs = this.#clock.monoMs()
    for (const node of away) if (!this.#seen.has(node)) this.#seen.set(node, { lostAtMs: nowMs })
    for (const [node, seen] of this.#seen) if (guarded.has(node)) seen.backAtMs ??= nowMs
  }
}
