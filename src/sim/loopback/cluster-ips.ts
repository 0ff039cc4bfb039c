import { present } from '../../ground/model/present.ts'
import type { ServiceObject } from '../actors/service-endpoints.ts'
import { endpointsFor, type SliceObject } from '../machines/endpoints-for.ts'
import { ENDPOINT_SLICES, SERVICES } from '../world/api-resource.ts'
import { keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { type ClusterIp, type ClusterIpParts, TcpClusterIp, UdpClusterIp } from './cluster-ip.ts'

/** From a change until rules are written, by iptables-restore (as in `kube-proxy.ts`). */
const WRITTEN_AFTER_MS = 50
const SERVICE_NAME = 'kubernetes.io/service-name'

/**
 * The cluster IPs of all Services that have one on this machine's loopback. One forwarder for each stands for the kube-proxies of all
 * nodes, since the nodes have this loopback in common.
 */
export class ClusterIps {
  readonly #store: World['store']
  readonly #parts: ClusterIpParts
  readonly #forwarders = new Map<string, ClusterIp>()
  readonly #unfollow: readonly (() => void)[]
  #callOff: (() => void) | undefined

  constructor(world: Pick<World, 'store'>, parts: ClusterIpParts) {
    this.#store = world.store
    this.#parts = parts
    this.#unfollow = [SERVICES, ENDPOINT_SLICES].map((kind) => world.store.subscribe(kind, () => this.#changed()))
    this.#write()
  }

  /** Nothing listens there any more. */
  end(): void {
    for (const end of this.#unfollow) end()
    this.#callOff?.()
    for (const forwarder of this.#forwarders.values()) forwarder.end()
  }

  #changed(): void {
    this.#callOff ??= this.#parts.timers.later(WRITTEN_AFTER_MS, () => {
      this.#callOff = undefined
      this.#write()
    })
  }

  #write(): void {
    const slices: readonly SliceObject[] = [...this.#store.all(ENDPOINT_SLICES)]
    const wanted = new Set<string>()
    for (const service of this.#store.all(SERVICES) as Iterable<ServiceObject>) {
      const { clusterIP: host = '', ports = [] } = service.spec
      if (!this.#parts.net.isServiceAddress(host)) continue
      const own = slices.filter(({ metadata }) => isOf(service, metadata))
      for (const { name = '', port, protocol = 'TCP' } of ports) {
        const key = `${protocol} ${host}:${port}`
        wanted.add(key)
        const forwarder = this.#forwarders.get(key) ?? this.#open(protocol, { host, port })
        this.#forwarders.set(key, forwarder)
        forwarder.setEndpoints(endpointsFor(own, { port: name }))
      }
    }
    for (const [key, forwarder] of this.#forwarders) {
      if (wanted.has(key)) continue
      forwarder.end()
      this.#forwarders.delete(key)
    }
  }

  #open(protocol: string, at: { readonly host: string; readonly port: number }): ClusterIp {
    return protocol === 'UDP' ? new UdpClusterIp(this.#parts, at) : new TcpClusterIp(this.#parts, at)
  }
}

const isOf = ({ metadata: { namespace, name } }: ServiceObject, slice: SliceObject['metadata']): boolean =>
  keyOf({ ...present({ namespace }), name }) === `${slice.namespace}/${slice.labels?.[SERVICE_NAME]}`
