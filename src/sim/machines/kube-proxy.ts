import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { DataPlane, NodePortRule } from '../plane/data-plane.ts'
import type { World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import { Lifetime } from './lifetime.ts'
import type { NodePortTable } from './node-port-table.ts'
import { Reflector } from './reflector.ts'

interface KubeProxyParts {
  readonly timers: Timers
  readonly random: SeededRandom
  readonly world: Pick<World, 'clock'>
  readonly plane: DataPlane
  readonly table: NodePortTable
  readonly access: ApiAccess
  readonly node: string
}

type Span = readonly [leastMs: number, mostMs: number]

/** From its start until its first rules are written: it lists Services and endpoints first. */
const FIRST: Span = [1_000, 2_000]
/** From a change until its rules are written, by iptables-restore. */
const WRITE: Span = [20, 80]
/** `iptables.minSyncPeriod`. */
const MIN_PERIOD_MS = 1_000

/** The kube-proxy of one node, for one boot of its machine. While the API is away it goes by what it knew before. */
export class KubeProxy {
  readonly #parts: KubeProxyParts
  readonly #life: Lifetime
  /** One for Services and endpoints, which it follows by a watch each. */
  readonly #reflector: Reflector
  readonly #unfollow: () => void
  /** What it knows to be wanted while it cannot follow; undefined before its first list. */
  #known: readonly NodePortRule[] | undefined
  #written: readonly NodePortRule[] | undefined
  #isPlanned = true
  /** The next write may not begin before. */
  #restsUntilMs = 0

  constructor(parts: KubeProxyParts) {
    const { timers, access, random, table, node } = parts
    this.#parts = parts
    this.#life = new Lifetime(timers)
    const onLost = (): void => {
      this.#known = table.rulesOf(node)
    }
    this.#reflector = new Reflector({ access, timers: this.#life, random, onLost, onBack: () => this.#changed() })
    this.#unfollow = table.follow(() => this.#changed())
    this.#writeWithin(FIRST)
  }

  /** What it wrote stays. */
  end(): void {
    this.#unfollow()
    this.#life.end()
  }

  #changed(): void {
    if (!this.#reflector.isFollowing) return
    if (!this.#isPlanned) this.#writeWithin(WRITE)
  }

  #writeWithin([leastMs, mostMs]: Span): void {
    const { random, world } = this.#parts
    this.#isPlanned = true
    const restMs = Math.max(0, this.#restsUntilMs - world.clock.monoMs())
    this.#life.later(restMs + random.between(leastMs, mostMs), () => this.#write())
  }

  #write(): void {
    const { plane, table, node, world } = this.#parts
    this.#isPlanned = false
    const rules = this.#reflector.isFollowing ? table.rulesOf(node) : this.#known
    if (rules === undefined) return
    if (rules !== this.#written) plane.setRules(node, rules)
    this.#written = rules
    this.#restsUntilMs = world.clock.monoMs() + MIN_PERIOD_MS
  }
}
