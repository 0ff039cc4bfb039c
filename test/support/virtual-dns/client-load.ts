import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { type DnsFault, effectOf, isLostNow } from './dns-faults.ts'
import { dnsAddresses, PORTS, WINDOWS } from './dns-manifests.ts'
import type { DnsRoutes } from './dns-routes.ts'
import type { DnsSetup } from './dns-setup.ts'

interface LoadParts {
  readonly cluster: VirtualCluster
  readonly setup: DnsSetup
  readonly routes: DnsRoutes
  readonly faults: ReadonlySet<DnsFault>
}

interface Counts {
  received: number
  answered: number
}

const EVERY_MS = 1_000
const QUERIES = 12

/** Clients of DNS on all nodes, as far as pods count them: their queries are no messages. */
export class ClientLoad {
  readonly #parts: LoadParts
  readonly #random: SeededRandom
  readonly #counts = new Map<string, Counts>()

  constructor(parts: LoadParts) {
    this.#parts = parts
    this.#random = parts.cluster.random.fork('clients of DNS')
    if (parts.setup.hasLoad) this.#tick()
  }

  counts(uid: string): Readonly<Counts> {
    return this.#counts.get(uid) ?? { received: 0, answered: 0 }
  }

  #tick(): void {
    const { cluster, setup } = this.#parts
    const [address = ''] = dnsAddresses(setup)
    for (let i = 0; i < QUERIES; i += 1) this.#ask(address)
    cluster.time.later(EVERY_MS, () => this.#tick())
  }

  #ask(address: string): void {
    const { cluster, routes, faults } = this.#parts
    const nodes = cluster.nodes.filter((name) => name !== WINDOWS)
    const place = { owner: '', name: 'client', node: nodes[this.#random.below(nodes.length)] ?? '', isHost: false }
    const to = { address, port: PORTS.dns }
    const led = routes.led(place, { to, over: 'udp', bytes: Buffer.alloc(0), flow: {} })
    if (typeof led === 'string' || led.state !== 'open') return
    const { pod } = led
    const leg = { place, over: 'udp', to: pod, isByService: true, isIpv6: address.includes(':') } as const
    const effect = effectOf(faults, leg)
    if (isLostNow(effect, this.#random)) return
    const counts = this.#counts.get(pod.uid) ?? { received: 0, answered: 0 }
    this.#counts.set(pod.uid, counts)
    counts.received += 1
    if (effect.isMute !== true) counts.answered += 1
  }
}
