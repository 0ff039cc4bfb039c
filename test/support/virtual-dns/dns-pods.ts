import { isGoing, isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { outsideMessage } from '../../../src/sim/dns/answer-message.ts'
import { ClusterZone } from '../../../src/sim/dns/cluster-zone.ts'
import { CoreDns } from '../../../src/sim/dns/core-dns.ts'
import { PODS } from '../../../src/sim/world/api-resource.ts'
import type { DnsFault } from './dns-faults.ts'
import { ZONE } from './dns-manifests.ts'
import type { DnsSetup } from './dns-setup.ts'

/** A pod of CoreDNS, whatever labels it has by now. */
export interface ServerPod {
  readonly uid: string
  readonly name: string
  readonly node: string
  /** Of each family. */
  readonly addresses: readonly string[]
  /** They are those of its node. */
  readonly isHost: boolean
  readonly server: CoreDns
}

interface PodsParts {
  readonly cluster: VirtualCluster
  readonly setup: DnsSetup
  readonly faults: ReadonlySet<DnsFault>
}

const NAMESPACE = 'kube-system'
const AGAIN_MS = 60_000
const APP = 'k8s-app'

/** The servers in the pods of DNS, each with a watch of Services of its own. */
export class DnsPods {
  readonly #parts: PodsParts
  readonly #servers = new Map<string, ServerPod>()
  readonly #zones = new Map<string, ClusterZone>()
  readonly #random: SeededRandom

  constructor(parts: PodsParts) {
    this.#parts = parts
    this.#random = parts.cluster.random.fork('watches of DNS')
    parts.cluster.world.store.subscribe(PODS, ({ type, object }) => this.#take(type, object as PodObject))
  }

  at(address: string): ServerPod | undefined {
    return [...this.#servers.values()].find(({ addresses }) => addresses.includes(address))
  }

  named(name: string): ServerPod | undefined {
    return [...this.#servers.values()].find((one) => one.name === name)
  }

  get(uid: string): ServerPod | undefined {
    return this.#servers.get(uid)
  }

  /** As the API has it now; undefined: it is gone. */
  object(uid: string): PodObject | undefined {
    const pod = this.#servers.get(uid)
    if (pod === undefined) return undefined
    const { store } = this.#parts.cluster.world
    const found = store.get(PODS, { namespace: NAMESPACE, name: pod.name }) as PodObject | undefined
    return found?.metadata.uid === uid ? found : undefined
  }

  /** Those that clients are sent to, by what the API says: Ready, not leaving, and selected. */
  serving(): readonly ServerPod[] {
    return [...this.#servers.values()]
      .filter(({ uid }) => {
        const pod = this.object(uid)
        return pod !== undefined && isReady(pod) && !isGoing(pod) && pod.metadata.labels?.[APP] === 'kube-dns'
      })
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }

  /** Those that are there and have been let go by a repair. */
  quarantined(): readonly PodObject[] {
    return [...this.#servers.keys()]
      .flatMap((uid) => this.object(uid) ?? [])
      .filter(({ metadata }) => metadata.labels?.['evenkeel.dev/quarantine'] !== undefined)
  }

  /** It hears of no new Service any more. */
  cutWatch(uid: string): void {
    this.#zones.get(uid)?.end()
  }

  /** Client-go opens a watch again within a minute after the API server is back. */
  apiIsBack(): void {
    const { cluster, faults } = this.#parts
    for (const uid of this.#servers.keys())
      cluster.time.later(this.#random.between(0, AGAIN_MS), () => {
        const isCut = [...faults].some(({ kind, pod }) => kind === 'stale' && pod === uid)
        if (!isCut && cluster.apiServer.life !== undefined) this.watchAgain(uid)
      })
  }

  /** It lists anew. */
  watchAgain(uid: string): void {
    if (!this.#servers.has(uid)) return
    this.#zones.get(uid)?.end()
    this.#zones.set(uid, this.#newZone())
  }

  #newZone(): ClusterZone {
    const { corefile } = this.#parts.setup
    return new ClusterZone(this.#parts.cluster.world, {
      zone: ZONE,
      forwards: corefile !== 'noForward',
      fallsThrough: corefile === 'fallthrough',
      ...(corefile === 'namespaces' ? { namespaces: ['kube-system'] } : {}),
    })
  }

  #take(type: string, pod: PodObject): void {
    const { uid, namespace, labels } = pod.metadata
    const isKnown = this.#servers.has(uid)
    if (namespace !== NAMESPACE || (!isKnown && labels?.[APP] !== 'kube-dns')) return
    if (type === 'DELETED') this.#end(uid)
    else this.#begin(pod)
  }

  /** In its sandbox; one that is made anew has another address. */
  #begin({ metadata: { uid, name }, spec: { nodeName = '', hostNetwork = false }, status }: PodObject): void {
    const addresses = (status?.podIPs ?? []).map(({ ip }) => ip)
    if (addresses.length === 0 || this.#servers.get(uid)?.addresses.join() === addresses.join()) return
    this.#end(uid)
    const { time } = this.#parts.cluster
    this.#zones.set(uid, this.#newZone())
    const zone = {
      answer: (...of: Parameters<ClusterZone['answer']>) => this.#zones.get(uid)?.answer(...of),
      end: () => this.#zones.get(uid)?.end(),
    }
    const server = new CoreDns({ zone, timers: time, cache: time, outside: (query) => this.#outside(uid, query) })
    this.#servers.set(uid, { uid, name, node: nodeName, addresses, isHost: hostNetwork, server })
  }

  #end(uid: string): void {
    this.#servers.get(uid)?.server.end()
    this.#servers.delete(uid)
    this.#zones.delete(uid)
  }

  #outside(uid: string, query: Buffer): Buffer | undefined {
    for (const { kind, pod } of this.#parts.faults) {
      if (kind === 'upstreamDown' || (kind === 'upstreamOfOne' && pod === uid)) return undefined
    }
    return outsideMessage(query)
  }
}
