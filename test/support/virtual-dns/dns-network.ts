import type { Endpoint } from '../../../src/ground/model/endpoint.ts'
import type { PodObject } from '../../../src/sim/actors/pod-object.ts'
import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { refusedMessage, truncatedMessage } from '../../../src/sim/dns/answer-message.ts'
import { NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { type DnsFault, type Effect, effectOf, isLostNow, type Leg, type Place } from './dns-faults.ts'
import type { DnsPods, ServerPod } from './dns-pods.ts'
import type { ServiceRules } from './service-rules.ts'

/** What a program hears of what it sent. */
export type Heard =
  | { readonly kind: 'reply'; readonly bytes: Buffer; readonly from: Endpoint }
  | { readonly kind: 'error'; readonly code: 'ECONNREFUSED' }

export interface DnsMessage {
  readonly to: Endpoint
  readonly over: 'udp' | 'tcp'
  readonly bytes: Buffer
  /** Of one port that it is sent from: connection tracking leads all of them to one pod. */
  readonly flow: object
}

/** Who was asked from where, and by what way; by a key of its own. */
export interface AskedPath {
  readonly leg: Leg
  asked: number
  answered: number
}

interface NetworkParts {
  readonly cluster: VirtualCluster
  readonly random: SeededRandom
  readonly pods: DnsPods
  readonly rules: ServiceRules
  readonly faults: ReadonlySet<DnsFault>
  /** The ports at which a pod is probed. */
  readonly healthPort: number
  readonly dnsPort: number
  readonly api: Endpoint
}

const ONE_WAY_MS = [0.15, 0.6] as const
const ELSEWHERE = '192.0.2.99'

type Hear = (heard: Heard) => void

/** DNS messages between places and the pods of a cluster, over the embedded network: one event for there and back. */
export class DnsNetwork {
  readonly #parts: NetworkParts
  /** By the port that it was sent from. */
  readonly #tracked = new WeakMap<object, string>()
  #asked = new Map<string, AskedPath>()

  constructor(parts: NetworkParts) {
    this.#parts = parts
  }

  /** Paths that were asked since they were taken last. */
  takeAsked(): readonly AskedPath[] {
    const asked = [...this.#asked.values()]
    this.#asked = new Map()
    return asked
  }

  /** Whether the API server answers at its cluster IP; undefined: nothing comes back. */
  reachesApi(place: Place): boolean | undefined {
    const { faults, cluster } = this.#parts
    if (place.node === undefined || !this.isOn(place)) return undefined
    if (effectOf(faults, { place, over: 'tcp', to: 'api', isByService: true }).lost === 1) return undefined
    return cluster.apiServer.life !== undefined
  }

  isOn({ node }: Place): boolean {
    return node === undefined || this.#parts.cluster.machines.get(node)?.isOn === true
  }

  send(place: Place, message: DnsMessage, hear: Hear): void {
    if (!this.isOn(place)) return
    const led = this.#ledTo(place, message)
    if (led === 'refused') this.#later(() => hear({ kind: 'error', code: 'ECONNREFUSED' }))
    else if (led !== 'silent') this.#ask({ place, message, hear, pod: led })
  }

  /** Past the pod network, in the pod itself. */
  sendWithin({ uid, server }: ServerPod, bytes: Buffer, hear: (reply: Buffer) => void): void {
    const isHung = [...this.#parts.faults].some(({ kind, pod }) => kind === 'hung' && pod === uid)
    if (!isHung) server.answer(bytes, (reply) => reply !== undefined && this.#later(() => hear(reply)))
  }

  #ask({ place, message, hear, pod }: { place: Place; message: DnsMessage; hear: Hear; pod: ServerPod }): void {
    const { faults, random, dnsPort } = this.#parts
    const { to, over, bytes } = message
    const isByService = to.address !== pod.address
    const leg: Leg = { place, over, to: pod, isByService }
    const path = this.#note(leg)
    const effect = effectOf(faults, leg)
    if (isLostNow(effect, random)) return
    const state = this.#stateOf(place, pod)
    if (state === 'silent') return
    if (state === 'refused' || (!isByService && to.port !== dnsPort)) {
      this.#later(() => hear({ kind: 'error', code: 'ECONNREFUSED' }))
      return
    }
    this.#answer(pod, { effect, bytes }, (reply) => {
      path.answered += 1
      const from = effect.isFromElsewhere ? { address: ELSEWHERE, port: to.port } : to
      hear({ kind: 'reply', bytes: reply, from })
    })
  }

  #answer(
    { server }: ServerPod,
    { effect, bytes }: { readonly effect: Effect; readonly bytes: Buffer },
    answered: (reply: Buffer) => void,
  ): void {
    if (effect.isMute) return
    const tell = (reply: Buffer | undefined): void => {
      if (reply !== undefined) this.#later(() => answered(reply), effect.lateMs)
    }
    if (effect.isRefused) tell(refusedMessage(bytes))
    else if (effect.isTruncated) tell(truncatedMessage(bytes))
    else server.answer(bytes, tell)
  }

  /** From the node of a place; its process listens at both ports or at none. */
  #stateOf({ node }: Place, { address }: ServerPod): 'open' | 'refused' | 'silent' {
    const { cluster, healthPort } = this.#parts
    const from = node === undefined ? '' : addressOf(cluster, node)
    return cluster.network.finds(from, { host: address, port: healthPort })
  }

  #ledTo(place: Place, { to, over, flow }: DnsMessage): ServerPod | 'refused' | 'silent' {
    const { pods, rules, cluster, healthPort, random } = this.#parts
    const direct = pods.at(to.address)
    if (direct !== undefined) return direct
    if (place.node === undefined) return 'silent'
    const endpoints = rules.endpoints(place.node, { host: to.address, port: to.port }, over)
    // Of another pod nothing is known but whether it is there.
    if (endpoints === undefined) {
      const found = cluster.network.finds(addressOf(cluster, place.node), { host: to.address, port: healthPort })
      const isThere = found !== 'silent' && this.#passes(place, to.address)
      return isThere ? 'refused' : 'silent'
    }
    const tracked = this.#tracked.get(flow)
    const kept = endpoints.find(({ host }) => host === tracked)
    const chosen = kept ?? endpoints[random.below(endpoints.length)]
    if (chosen === undefined) return 'refused'
    this.#tracked.set(flow, chosen.host)
    return pods.at(chosen.host) ?? 'silent'
  }

  /** To a pod that is none of DNS. */
  #passes(place: Place, address: string): boolean {
    const { cluster, faults } = this.#parts
    const pods = [...(cluster.world.store.all(PODS) as Iterable<PodObject>)]
    const node = pods.find(({ status }) => status?.podIP === address)?.spec.nodeName ?? ''
    const leg: Leg = { place, over: 'tcp', to: { uid: '', node }, isByService: false }
    return effectOf(faults, leg).lost !== 1
  }

  #note(leg: Leg): AskedPath {
    const { place, over, to, isByService } = leg
    const key = `${place.name} ${to === 'api' ? to : to.uid} ${over} ${isByService}`
    const path = this.#asked.get(key) ?? { leg, asked: 0, answered: 0 }
    this.#asked.set(key, path)
    path.asked += 1
    return path
  }

  #later(run: () => void, moreMs = 0): void {
    const { cluster, random } = this.#parts
    cluster.time.later(random.between(...ONE_WAY_MS) + random.between(...ONE_WAY_MS) + moreMs, run)
  }
}

/** As its kubelet says it. */
function addressOf({ world: { store } }: VirtualCluster, name: string): string {
  const node = store.get(NODES, { name }) as
    | { readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] } }
    | undefined
  return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
}
