import { isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { shownAs } from '../../../src/sim/machines/families.ts'
import type { Destination } from '../../../src/sim/network/network.ts'
import { NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { type DnsFault, effectOf, type Leg, type Place } from './dns-faults.ts'
import { PORTS } from './dns-manifests.ts'
import type { DnsMessage } from './dns-network.ts'
import type { DnsPods, ServerPod } from './dns-pods.ts'
import type { DnsSetup } from './dns-setup.ts'
import type { ServiceRules } from './service-rules.ts'

interface RoutesParts {
  readonly cluster: VirtualCluster
  readonly setup: DnsSetup
  readonly pods: DnsPods
  readonly rules: ServiceRules
  readonly faults: ReadonlySet<DnsFault>
}

/** To which pod of DNS a message leads, and what is there; or that nothing else comes of it. */
export type Led = 'refused' | 'silent' | { readonly pod: ServerPod; readonly state: 'open' | 'refused' | 'silent' }

/** Where messages lead: to pods at once, by the rules of kube-proxies, to other pods. */
export class DnsRoutes {
  readonly #parts: RoutesParts
  readonly #random: SeededRandom
  /** Connection tracking, by the port that it was sent from. */
  readonly #tracked = new WeakMap<object, string>()

  constructor(parts: RoutesParts) {
    this.#parts = parts
    this.#random = parts.cluster.random.fork('dns routes')
  }

  led(place: Place, message: DnsMessage): Led {
    const { pods, cluster } = this.#parts
    const { to, over } = message
    const direct = to.port === PORTS.dns ? pods.at(to.address) : undefined
    // A machine beside the cluster has routes to its nodes alone.
    if (direct !== undefined) return place.node === undefined && !direct.isHost ? 'silent' : this.#at(place, direct)
    const entry = place.node ?? this.#nodeAt(to.address)
    if (entry === undefined || cluster.machines.get(entry)?.isOn !== true) return 'silent'
    const endpoints = this.#parts.rules.endpoints(entry, { host: to.address, port: to.port }, over)
    if (endpoints === undefined) return place.node === undefined ? 'silent' : this.#toOther(place, to.address)
    const chosen = this.#chosen(place, endpoints, message)
    if (chosen === undefined) return 'refused'
    const pod = pods.at(chosen.host)
    if (pod === undefined) return 'silent'
    return chosen.port === PORTS.dns ? this.#at({ ...place, node: entry }, pod) : 'refused'
  }

  /** Its process listens at all of its ports or at none. */
  #at(place: Place, pod: ServerPod): Led {
    const { cluster, pods } = this.#parts
    const [address = ''] = pod.addresses
    if (!pod.isHost) return { pod, state: this.#finds(place, { host: shownAs(address), port: PORTS.health }) }
    // A pod that has the address of its node has another one in the embedded network.
    if (cluster.machines.get(pod.node)?.isOn !== true) return { pod, state: 'silent' }
    const object = pods.object(pod.uid)
    return { pod, state: object !== undefined && isReady(object) ? 'open' : 'refused' }
  }

  #chosen({ name }: Place, endpoints: readonly Destination[], { flow }: DnsMessage): Destination | undefined {
    const known = this.#tracked.get(flow)
    const kept = endpoints.find(({ host }) => host === known)
    const isByPlace = this.#parts.setup.policy === 'affinity'
    const at = isByPlace ? hashOf(name) % endpoints.length : this.#random.below(endpoints.length)
    const chosen = kept ?? endpoints[at]
    if (chosen !== undefined) this.#tracked.set(flow, chosen.host)
    return chosen
  }

  /** Of another pod nothing is known but whether it is there, and lets anybody in. */
  #toOther(place: Place, address: string): 'refused' | 'silent' {
    const { cluster, faults, setup } = this.#parts
    const isThere = this.#finds(place, { host: shownAs(address), port: PORTS.health }) !== 'silent'
    if (!isThere || setup.isIsolated) return 'silent'
    const pods = [...(cluster.world.store.all(PODS) as Iterable<PodObject>)]
    const node = pods.find(({ status }) => status?.podIPs?.some(({ ip }) => ip === address))?.spec.nodeName ?? ''
    const to = { uid: '', node, isHost: false }
    const leg: Leg = { place, over: 'tcp', to, isByService: false, isIpv6: address.includes(':') }
    return effectOf(faults, leg).lost === 1 ? 'silent' : 'refused'
  }

  #finds({ node = '' }: Place, to: Destination): 'open' | 'refused' | 'silent' {
    return this.#parts.cluster.network.finds(shownAs(this.#addressOf(node)), to)
  }

  #nodeAt(address: string): string | undefined {
    return this.#parts.cluster.nodes.find((name) => shownAs(this.#addressOf(name)) === shownAs(address))
  }

  /** As its kubelet says it. */
  #addressOf(name: string): string {
    const node = this.#parts.cluster.world.store.get(NODES, { name }) as NodeAsRead | undefined
    return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
  }
}

interface NodeAsRead {
  readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] }
}

const hashOf = (text: string): number => [...text].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) >>> 0, 7)
