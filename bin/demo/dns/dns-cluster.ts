import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { systemSoon as soon } from '../../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { apiService, clusterDns } from '../../../src/sim/cluster/dns-workloads.ts'
import { ClusterIps } from '../../../src/sim/loopback/cluster-ips.ts'
import { DnsResolvers } from '../../../src/sim/loopback/dns-resolvers.ts'
import { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import type { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { PODS } from '../../../src/sim/world/api-resource.ts'
import { HERE } from '../article-cluster.ts'
import { nodesReady, until } from '../settling.ts'

const ZONE = 'cluster.local'
const REPLICAS = 2
const NODES = ['w-1', 'w-2', 'w-3']
/** Numbers of the Services in their range, as kubeadm gives them. */
const API_NUMBER = 1
const DNS_NUMBER = 10
/** In place of 53, 443 and 8080: the first two need root. */
const WANTED = { dns: 1053, api: 6443, health: 8080 }
const QUERIES_PER_SECOND = 100

interface Ports {
  readonly dns: number
  readonly api: number
  readonly health: number
}

/** An embedded cluster with a DNS of two pods, their Service, and resolvers that query it. */
export class DnsCluster {
  readonly net: LoopbackNet
  readonly cluster: EmbeddedCluster
  readonly ports: Ports
  readonly nodes: readonly { readonly name: string; readonly address: string }[]
  readonly #ips: ClusterIps
  readonly #end: () => Promise<void>
  #resolvers: DnsResolvers | undefined

  private constructor(
    cluster: EmbeddedCluster,
    ports: Ports,
    { net, end }: { net: LoopbackNet; end: () => Promise<void> },
  ) {
    this.net = net
    this.cluster = cluster
    this.ports = ports
    this.nodes = NODES.map((name, i) => ({ name, address: net.nodeAddress(i + 1) }))
    this.#end = end
    this.#ips = new ClusterIps(cluster.world, { net, timers, random })
  }

  /** Resolves once its DNS answers. `net` is closed with it. */
  static async open(net: LoopbackNet, signal: AbortSignal): Promise<DnsCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-demo-'))
    const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
    // Also where there is no time left to wait.
    process.once('exit', removeFolder)
    let cluster: EmbeddedCluster | undefined
    let ground: DnsCluster | undefined
    const end = async (): Promise<void> => {
      cluster?.end()
      await net.close()
      removeFolder()
      process.off('exit', removeFolder)
    }
    try {
      const ports = await freePorts(net)
      const nodes = NODES.map((name) => ({ name }))
      const chance = { seed: random.hex(8), token: random.hex(32) }
      cluster = await EmbeddedCluster.open({
        clock,
        timers,
        soon,
        ...chance,
        folder,
        name: 'demo',
        net,
        nodes,
        darkMs: 0,
      })
      ground = new DnsCluster(cluster, ports, { net, end })
      await ground.#start(signal)
      return ground
    } catch (error) {
      await (ground?.end() ?? end())
      throw error
    }
  }

  get service(): { readonly address: string; readonly port: number } {
    return { address: this.net.serviceAddress(DNS_NUMBER), port: this.ports.dns }
  }

  /** The pods that exist now, by name. */
  get pods(): readonly PodObject[] {
    const pods = [...this.cluster.world.store.all(PODS)] as PodObject[]
    return pods.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  }

  /** Begins to send queries. */
  sendQueries(): DnsResolvers {
    const { net, ports } = this
    this.#resolvers = new DnsResolvers({
      ...{ net, clock, timers, random },
      at: { host: this.service.address, port: ports.dns },
      name: `kubernetes.default.svc.${ZONE}`,
      address: net.serviceAddress(API_NUMBER),
      perSecond: QUERIES_PER_SECOND,
    })
    return this.#resolvers
  }

  async end(): Promise<void> {
    this.#resolvers?.end()
    this.#ips.end()
    await this.#end()
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { cluster, net, ports } = this
    await until(signal, 'nodes that are ready', () => nodesReady(cluster.world, NODES.length))
    const { address } = this.service
    cluster.apply([
      ...apiService({
        address: net.serviceAddress(API_NUMBER),
        port: ports.api,
        server: { host: HERE, port: cluster.apiPort },
      }),
      ...clusterDns({ zone: ZONE, replicas: REPLICAS, address, ports }),
    ])
    await until(signal, 'pods of DNS that are ready', () => this.pods.length === REPLICAS && this.pods.every(isReady))
  }
}

/** Other ports if something on this machine listens there on every address. */
async function freePorts(net: LoopbackNet): Promise<Ports> {
  const dns = await net.freePort(WANTED.dns, [], 'both')
  const api = await net.freePort(WANTED.api, [dns])
  return { dns, api, health: await net.freePort(WANTED.health, [dns, api]) }
}
