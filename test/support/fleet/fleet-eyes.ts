import { type NodeObject, readiness } from '../../../src/sim/actors/node-object.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { CONFIG_MAPS, LEASES, NODES } from '../../../src/sim/world/api-resource.ts'
import type { FleetFacts, NodeFact, SlotFact } from './fleet-facts.ts'

export const MAINTENANCE = 'evenkeel.dev/maintenance'
const RECORD = 'evenkeel.dev/record'
const INTENT = 'evenkeel.dev/intent'
const SLOT_NODE = 'evenkeel.dev/node'
const SLOT = /^evenkeel-slot-(\d+)$/
export const BUDGET = 'evenkeel-budget'
const GRANTS = 'evenkeel-cordon-grants'

/** Looks at a fleet whenever something of it has changed, and tells its judge. */
export class FleetEyes {
  readonly #cluster: VirtualCluster
  readonly #tell: (facts: FleetFacts) => void
  readonly #nodes = new Map<string, Omit<NodeFact, 'isDetached'>>()
  readonly #slots = new Map<number, SlotFact>()
  readonly #ends: (() => void)[] = []
  #maxOut: string | undefined
  #granted: readonly string[] = []

  constructor(cluster: VirtualCluster, tell: (facts: FleetFacts) => void) {
    this.#cluster = cluster
    this.#tell = tell
    const { store } = cluster.world
    for (const node of store.all(NODES)) this.#nodes.set(node.metadata.name, factOf(node as NodeObject))
    const notes = [
      { resource: NODES, note: (object: ApiObject) => this.#node(object as NodeObject) },
      { resource: LEASES, note: (object: ApiObject) => this.#lease(object) },
      { resource: CONFIG_MAPS, note: (object: ApiObject, isGone: boolean) => this.#configMap(object, isGone) },
    ]
    for (const { resource, note } of notes) {
      const end = store.subscribe(resource, ({ object, type }) => {
        if (note(object, type === 'DELETED')) this.look()
      })
      this.#ends.push(end)
    }
  }

  end(): void {
    for (const end of this.#ends) end()
  }

  look(): void {
    this.#tell(this.facts())
  }

  facts(): FleetFacts {
    const detached = new Set<string>()
    for (const { balancer } of this.#cluster.instances) {
      for (const { config, admin } of balancer.state.servers) if (admin !== 'ready') detached.add(config.name)
    }
    return {
      atMs: this.#cluster.time.monoMs(),
      nodes: [...this.#nodes.values()].map((node) => ({ ...node, isDetached: detached.has(node.name) })),
      slots: [...this.#slots.values()],
      maxOut: this.#maxOut,
      granted: this.#granted,
    }
  }

  #node(node: NodeObject): boolean {
    this.#nodes.set(node.metadata.name, factOf(node))
    return true
  }

  #lease({ metadata, spec }: ApiObject): boolean {
    const [, digits] = SLOT.exec(metadata.name) ?? []
    if (digits === undefined) return false
    const { holderIdentity: holder = '' } = spec as { readonly holderIdentity?: string }
    const index = Number(digits)
    if (holder === '') this.#slots.delete(index)
    else {
      const node = metadata.annotations?.[SLOT_NODE] ?? ''
      this.#slots.set(index, { index, holder, node, writtenAtMs: this.#cluster.time.monoMs() })
    }
    return true
  }

  #configMap({ metadata: { name }, data }: ApiObject, isGone: boolean): boolean {
    const texts = (isGone ? {} : data) as Readonly<Record<string, string>>
    if (name === BUDGET) this.#maxOut = texts.maxOut
    if (name === GRANTS)
      this.#granted = (JSON.parse(texts.grants ?? '{}') as { readonly granted?: readonly string[] }).granted ?? []
    return name === BUDGET || name === GRANTS
  }
}

function factOf(node: NodeObject): Omit<NodeFact, 'isDetached'> {
  const { name, annotations = {} } = node.metadata
  const text = annotations[RECORD] ?? annotations[INTENT]
  const record = text === undefined ? undefined : (JSON.parse(text) as { readonly run: string }).run
  return {
    name,
    isReady: readiness(node) === 'True',
    isCordoned: node.spec?.unschedulable === true,
    claimedBy: claimsIn(annotations[MAINTENANCE]).map(({ owner }) => owner),
    ...(record === undefined ? {} : { recordedBy: record }),
  }
}

interface ClaimText {
  readonly owner: string
  readonly id: string
  readonly at?: string
}

export const claimsIn = (text: string | undefined): readonly ClaimText[] =>
  text === undefined ? [] : (JSON.parse(text) as { readonly claims: readonly ClaimText[] }).claims
