import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { MemoryAgentStore } from '../agent/memory-agent-store.ts'
import { VirtualAgent } from './virtual-agent.ts'

/** `killed`: it does not run. `silent`: it runs and says nothing, as a process that is stopped. `slow`: late. */
export type AgentTrouble = 'killed' | 'silent' | 'slow'

interface Place {
  readonly node: string
  readonly address: string
  readonly store: MemoryAgentStore
  trouble: AgentTrouble | undefined
  bootId: string | undefined
  agent: VirtualAgent | undefined
}

const LOOK_EVERY_MS = 100
const SLOW_MS = 700

interface VirtualAgentsParts {
  readonly cluster: VirtualCluster
  readonly dataPort: number
  /** Whether agents see the connections to the data port of their node. */
  readonly countsConnections: boolean
}

/** The real agent on each machine: it goes with its machine, and begins again with the next boot, without its memory. */
export class VirtualAgents {
  readonly #parts: VirtualAgentsParts
  readonly #places: readonly Place[]
  #callOff: () => void = () => undefined

  constructor(parts: VirtualAgentsParts) {
    this.#parts = parts
    const { servers = [] } = parts.cluster.instances.flatMap(({ balancer }) => balancer.state.backends)[0] ?? {}
    this.#places = servers.map(({ config: { name: node, address } }) => {
      return { node, address, store: new MemoryAgentStore(), trouble: undefined, bootId: undefined, agent: undefined }
    })
    this.#look()
  }

  setTrouble(node: string, trouble: AgentTrouble | undefined): void {
    const place = this.#places.find((one) => one.node === node)
    if (place !== undefined) place.trouble = trouble
  }

  /** It is killed, and begins again at once. */
  restart(node: string): void {
    const place = this.#places.find((one) => one.node === node)
    place?.agent?.kill()
    if (place !== undefined) place.agent = undefined
  }

  end(): void {
    this.#callOff()
    for (const { agent } of this.#places) agent?.kill()
  }

  #look(): void {
    for (const place of this.#places) this.#follow(place)
    this.#callOff = this.#parts.cluster.time.later(LOOK_EVERY_MS, () => this.#look())
  }

  #follow(place: Place): void {
    const { cluster, dataPort } = this.#parts
    const { node, address, store } = place
    const bootId = cluster.machines.get(node)?.bootId
    if (bootId !== place.bootId) {
      place.agent?.kill()
      place.agent = undefined
      if (place.bootId !== undefined) store.reboot()
      place.bootId = bootId
    }
    if (place.trouble === 'killed') {
      place.agent?.kill()
      place.agent = undefined
    }
    if (bootId === undefined || place.trouble === 'killed' || place.agent !== undefined) return
    place.agent = new VirtualAgent({
      cluster,
      node,
      address,
      dataPort,
      bootId,
      store,
      connections: () => this.#connections(address),
      answersAfterMs: () => (place.trouble === 'silent' ? undefined : place.trouble === 'slow' ? SLOW_MS : 0),
    })
  }

  /** What balancers have open to the data port: requests under way, and what they keep for later ones. */
  #connections(address: string): number | undefined {
    const { cluster, dataPort, countsConnections } = this.#parts
    if (!countsConnections) return undefined
    return cluster.instances
      .flatMap(({ balancer }) => balancer.state.servers)
      .filter(({ config }) => config.address === address && config.port === dataPort)
      .reduce((sum, { load, idle }) => sum + load.sessions.size + idle.size, 0)
  }
}
