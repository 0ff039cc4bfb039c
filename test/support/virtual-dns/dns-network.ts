import type { Endpoint } from '../../../src/ground/model/endpoint.ts'
import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { outsideMessage, refusedMessage, truncatedMessage } from '../../../src/sim/dns/answer-message.ts'
import { ClientLoad } from './client-load.ts'
import { cacheOn, type DnsFault, type Effect, effectOf, isLostNow, type Leg, type Place } from './dns-faults.ts'
import { dnsAddresses, PORTS, upstreamAddress } from './dns-manifests.ts'
import type { DnsPods, ServerPod } from './dns-pods.ts'
import { DnsRoutes, type Led } from './dns-routes.ts'
import type { DnsSetup } from './dns-setup.ts'
import { NodeCaches } from './node-caches.ts'
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
  readonly setup: DnsSetup
  readonly pods: DnsPods
  readonly rules: ServiceRules
  readonly faults: ReadonlySet<DnsFault>
}

const ONE_WAY_MS = [0.15, 0.6] as const
const ELSEWHERE = '192.0.2.99'

type Hear = (heard: Heard) => void

interface Sent {
  readonly place: Place
  readonly message: DnsMessage
  readonly hear: Hear
}

/** DNS messages between places and the pods of a cluster, over the embedded network: one event for there and back. */
export class DnsNetwork {
  readonly #parts: NetworkParts
  readonly #routes: DnsRoutes
  readonly #caches: NodeCaches
  readonly #random: SeededRandom
  readonly #load: ClientLoad
  /** By the process that asks. */
  readonly #asked = new Map<string, Map<string, AskedPath>>()

  constructor(parts: NetworkParts) {
    const { cluster, setup } = parts
    this.#parts = parts
    this.#routes = new DnsRoutes(parts)
    this.#random = cluster.random.fork('dns network')
    this.#load = new ClientLoad({ ...parts, routes: this.#routes })
    const to = { address: upstreamAddress(setup), port: PORTS.dns }
    this.#caches = new NodeCaches({
      timers: cluster.time,
      outside: (query) =>
        [...parts.faults].some(({ kind }) => kind === 'upstreamDown') ? undefined : outsideMessage(query),
      ask: (node, bytes, hear) =>
        this.send({ owner: '', name: cacheOn(node), node, isHost: true }, { to, over: 'tcp', bytes, flow: {} }, hear),
    })
  }

  /** Paths that a process has asked since they were taken last. */
  takeAsked(owner: string): readonly AskedPath[] {
    const asked = [...(this.#asked.get(owner)?.values() ?? [])]
    this.#asked.delete(owner)
    return asked
  }

  /** Whether the API server answers at its cluster IP; undefined: nothing comes back. */
  reachesApi(place: Place): boolean | undefined {
    const { faults, cluster } = this.#parts
    if (place.node === undefined || !this.isOn(place)) return undefined
    const leg: Leg = { place, over: 'tcp', to: 'api', isByService: true, isIpv6: false }
    if (effectOf(faults, leg).lost === 1) return undefined
    return cluster.apiServer.life !== undefined
  }

  isOn({ node }: Place): boolean {
    return node === undefined || this.#parts.cluster.machines.get(node)?.isOn === true
  }

  send(place: Place, message: DnsMessage, hear: Hear): void {
    if (!this.isOn(place)) return
    if (this.#parts.setup.hasCaches && this.#asksCache(place, message)) {
      this.#askCache({ place, message, hear })
      return
    }
    const led = this.#routes.led(place, message)
    if (led === 'refused') this.#later(() => hear(REFUSED))
    else if (led !== 'silent') this.#ask({ place, message, hear }, led)
  }

  /** Past the pod network, in the pod itself. */
  sendWithin({ uid, server }: ServerPod, bytes: Buffer, hear: (reply: Buffer) => void): void {
    const isHung = [...this.#parts.faults].some(({ kind, pod }) => kind === 'hung' && pod === uid)
    if (!isHung) server.answer(bytes, (reply) => reply !== undefined && this.#later(() => hear(reply)))
  }

  #asksCache({ node }: Place, { to }: DnsMessage): boolean {
    return node !== undefined && to.port === PORTS.dns && dnsAddresses(this.#parts.setup).includes(to.address)
  }

  #askCache({ place, message: { to, over, bytes }, hear }: Sent): void {
    const { node = '' } = place
    const target = { uid: cacheOn(node), node, isHost: true }
    const leg: Leg = { place, over, to: target, isByService: true, isIpv6: to.address.includes(':') }
    const path = this.#note(leg)
    const effect = effectOf(this.#parts.faults, leg)
    if (this.#isLost(effect, over)) return
    const answered = (reply: Buffer): void => {
      path.answered += 1
      this.#later(() => hear({ kind: 'reply', bytes: reply, from: to }))
    }
    this.#caches.answer(node, bytes, answered)
  }

  #ask({ place, message, hear }: Sent, { pod, state }: Exclude<Led, string>): void {
    const { to, over, bytes } = message
    const isIpv6 = to.address.includes(':')
    const isByService = !pod.addresses.includes(to.address) || to.port !== PORTS.dns
    const leg: Leg = { place, over, to: pod, isByService, isIpv6 }
    const path = this.#note(leg)
    const effect = effectOf(this.#parts.faults, leg)
    if (state === 'silent' || this.#isLost(effect, over)) return
    if (state === 'refused') {
      this.#later(() => hear(REFUSED))
      return
    }
    this.#answer(pod, { effect, bytes }, (reply) => {
      path.answered += 1
      const from = effect.isFromElsewhere ? { address: ELSEWHERE, port: to.port } : to
      hear({ kind: 'reply', bytes: reply, from })
    })
  }

  /** TCP sends again what was lost by chance. */
  #isLost(effect: Effect, over: 'udp' | 'tcp'): boolean {
    const { lost } = this.#parts.setup
    return isLostNow(effect, this.#random) || (over === 'udp' && lost > 0 && this.#random.next() < lost)
  }

  /** What the pod counts over UDP: the queries that we follow, and those of its clients. */
  counts(uid: string): { readonly received: number; readonly answered: number } {
    return this.#load.counts(uid)
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

  #note(leg: Leg): AskedPath {
    const { place, over, to, isByService, isIpv6 } = leg
    const key = `${place.name} ${to === 'api' ? to : to.uid} ${over} ${isByService} ${isIpv6}`
    const ofOwner = this.#asked.get(place.owner) ?? new Map<string, AskedPath>()
    this.#asked.set(place.owner, ofOwner)
    const path = ofOwner.get(key) ?? { leg, asked: 0, answered: 0 }
    ofOwner.set(key, path)
    path.asked += 1
    return path
  }

  #later(run: () => void, moreMs = 0): void {
    const ms = this.#random.between(...ONE_WAY_MS) + this.#random.between(...ONE_WAY_MS)
    this.#parts.cluster.time.later(ms + moreMs, run)
  }
}

const REFUSED: Heard = { kind: 'error', code: 'ECONNREFUSED' }
