import type { NodeObject } from '../../../src/sim/actors/node-object.ts'
import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../src/sim/world/api-resource.ts'
import { claimsIn, MAINTENANCE } from './fleet-eyes.ts'

const ALICE = 'person/alice'
const RECORD = 'evenkeel.dev/record'
/** More of them would leave nothing to anyone else. */
const CLAIMS_MAX = 2
const CORDONS_MAX = 5

/** Persons who claim and cordon nodes as they like, and take it back. They leave alone the cordons of what bears a record. */
export class FleetPersons {
  readonly #cluster: VirtualCluster
  readonly #random: SeededRandom
  readonly #claimed = new Set<string>()
  readonly #cordoned = new Set<string>()
  #callOff: () => void = () => undefined

  constructor(cluster: VirtualCluster, random: SeededRandom) {
    this.#cluster = cluster
    this.#random = random
  }

  begin(everyMs: number): void {
    this.#callOff = this.#cluster.time.later(this.#random.between(0.5, 1.5) * everyMs, () => {
      this.#actOnce()
      this.begin(everyMs)
    })
  }

  /** Asked again until it says true: nothing of theirs is left. */
  takeAllBack(): boolean {
    this.#callOff()
    for (const name of this.#claimed) this.#withdraw(name)
    for (const name of this.#cordoned) this.#cordon(name, false)
    return this.#claimed.size === 0 && this.#cordoned.size === 0
  }

  #actOnce(): void {
    const { nodes } = this.#cluster
    const among = this.#random.next() < 0.5 ? nodes.length : Math.min(nodes.length, 6)
    const name = nodes[this.#random.below(among)] ?? ''
    const chance = this.#random.next()
    if (chance < 0.25 && this.#claimed.size < CLAIMS_MAX) this.#claim(name)
    else if (chance < 0.5) this.#withdraw(this.#oneOf(this.#claimed))
    else if (chance < 0.8 && this.#cordoned.size < CORDONS_MAX) this.#cordon(name, true)
    else this.#cordon(this.#oneOf(this.#cordoned), false)
  }

  #oneOf(names: ReadonlySet<string>): string {
    return [...names][this.#random.below(Math.max(1, names.size))] ?? ''
  }

  #claim(name: string): void {
    const node = this.#node(name)
    if (node === undefined || this.#claimed.has(name)) return
    this.#claimed.add(name)
    this.#putClaims(node, [...claimsOf(node), { owner: ALICE, id: 'disk' }])
  }

  #withdraw(name: string): void {
    const node = this.#node(name)
    if (node === undefined || !this.#claimed.delete(name)) return
    this.#putClaims(
      node,
      claimsOf(node).filter(({ owner }) => owner !== ALICE),
    )
  }

  #cordon(name: string, unschedulable: boolean): void {
    const node = this.#node(name)
    const isTheirs = this.#cordoned.has(name)
    if (node === undefined || isTheirs === unschedulable || RECORD in (node.metadata.annotations ?? {})) return
    if (unschedulable && node.spec?.unschedulable === true) return
    if (unschedulable) this.#cordoned.add(name)
    else this.#cordoned.delete(name)
    this.#cluster.world.store.put(NODES, { ...node, spec: { ...node.spec, unschedulable } })
  }

  #putClaims(node: NodeObject, claims: ReturnType<typeof claimsOf>): void {
    const { [MAINTENANCE]: _, ...others } = node.metadata.annotations ?? {}
    const text = JSON.stringify({ version: 2, claims })
    const annotations = claims.length === 0 ? others : { ...others, [MAINTENANCE]: text }
    this.#cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, annotations } })
  }

  #node(name: string): NodeObject | undefined {
    return name === '' ? undefined : (this.#cluster.world.store.get(NODES, { name }) as NodeObject | undefined)
  }
}

const claimsOf = ({ metadata }: NodeObject) => claimsIn(metadata.annotations?.[MAINTENANCE])
