import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { endpointsFor, type SliceObject } from '../../../src/sim/machines/endpoints-for.ts'
import type { Destination } from '../../../src/sim/network/network.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../../src/sim/world/api-resource.ts'
import type { DnsFault } from './dns-faults.ts'

interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly nodePort?: number
}

interface ClusterService {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec: {
    readonly clusterIPs?: readonly string[]
    readonly internalTrafficPolicy?: string
    readonly ports?: readonly ServicePort[]
  }
}

/** Address, port and protocol of a Service: where it leads. */
type Rules = ReadonlyMap<string, readonly Destination[]>

/** From a change of an EndpointSlice until a kube-proxy has written it. */
const WRITTEN_MS = [60, 1_300] as const
const AGAIN_MS = 1_000
/** Whatever the address: a port of the node. */
const ANY = '*'

/** The kube-proxies of all nodes, for cluster IPs. */
export class ServiceRules {
  readonly #cluster: VirtualCluster
  readonly #random: SeededRandom
  readonly #faults: ReadonlySet<DnsFault>
  readonly #written = new Map<string, Rules>()
  readonly #planned = new Set<string>()

  constructor(cluster: VirtualCluster, faults: ReadonlySet<DnsFault>) {
    this.#cluster = cluster
    this.#faults = faults
    this.#random = cluster.random.fork('service rules')
    const { store } = cluster.world
    for (const kind of [ENDPOINT_SLICES, SERVICES]) store.subscribe(kind, () => this.#changed())
    this.#changed()
  }

  /** Undefined: no Service has that address, or none that port of all nodes. */
  endpoints(node: string, { host, port }: Destination, over: 'udp' | 'tcp'): readonly Destination[] | undefined {
    const rules = this.#written.get(node)
    return rules?.get(keyOf(host, port, over)) ?? rules?.get(keyOf(ANY, port, over))
  }

  #changed(): void {
    for (const node of this.#cluster.nodes) this.#plan(node, this.#random.between(...WRITTEN_MS))
  }

  #plan(node: string, ms: number): void {
    if (this.#planned.has(node)) return
    this.#planned.add(node)
    this.#cluster.time.later(ms, () => {
      this.#planned.delete(node)
      const isAway = this.#cluster.apiServer.life === undefined || this.#cluster.machines.get(node)?.isOn !== true
      const isFrozen = [...this.#faults].some((fault) => fault.kind === 'proxyFrozen' && fault.node === node)
      if (isAway || isFrozen) this.#plan(node, AGAIN_MS)
      else this.#written.set(node, this.#rulesOf(node))
    })
  }

  #rulesOf(node: string): Rules {
    const { store } = this.#cluster.world
    const slices = Map.groupBy([...store.all(ENDPOINT_SLICES)] as readonly SliceObject[], ({ metadata }) =>
      [metadata.namespace, metadata.labels?.['kubernetes.io/service-name']].join('/'),
    )
    const rules = new Map<string, readonly Destination[]>()
    for (const { metadata, spec } of store.all(SERVICES) as Iterable<ClusterService>)
      for (const { name = '', port, protocol = 'TCP', nodePort } of spec.ports ?? [])
        for (const address of spec.clusterIPs ?? []) {
          const isOfFamily = ({ addressType }: SliceObject): boolean =>
            (addressType === 'IPv6') === address.includes(':')
          const own = (slices.get(`${metadata.namespace}/${metadata.name}`) ?? []).filter(isOfFamily)
          const choice = { port: name, ...(spec.internalTrafficPolicy === 'Local' ? { onlyOn: node } : {}) }
          const endpoints = endpointsFor(own, choice)
          rules.set(keyOf(address, port, protocol.toLowerCase()), endpoints)
          if (nodePort !== undefined) rules.set(keyOf(ANY, nodePort, protocol.toLowerCase()), endpoints)
        }
    return rules
  }
}

const keyOf = (address: string, port: number, over: string): string => `${over} ${address} ${port}`
