import { present } from '../../ground/model/present.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { FAST_NODE_TIMING, STANDARD_NODE_TIMING } from '../actors/node-monitor.ts'
import { readiness } from '../actors/node-object.ts'
import { runControllers } from '../actors/run-controllers.ts'
import { VirtualBalancer } from '../balancer/virtual-balancer.ts'
import { SeededRandom } from '../clocks/seeded-random.ts'
import { VirtualTime, type VirtualTimeParts } from '../clocks/virtual-time.ts'
import { DEFAULT_KUBELET, FAST_KUBELET } from '../machines/kubelet-settings.ts'
import { Machines } from '../machines/machines.ts'
import type { NodeSpec } from '../machines/node-spec.ts'
import { VirtualNetwork } from '../network/virtual-network.ts'
import { VirtualDataPlane } from '../plane/virtual-data-plane.ts'
import { NAMESPACES, NODES } from '../world/api-resource.ts'
import { applyManifest } from '../world/apply-manifest.ts'
import { createObject } from '../world/create-object.ts'
import { Store } from '../world/store.ts'
import { WatchCache } from '../world/watch-cache.ts'
import type { World } from '../world/world.ts'
import { type BalancerDescription, balancerConfig } from './balancer-description.ts'
import { VirtualApiServer } from './virtual-api-server.ts'
import { WatchLag } from './watch-lag.ts'

interface ClusterDescription {
  /** Everything that is left to chance comes from it. */
  readonly seed: string
  readonly startAt: WallMs
  /** Their number, where they are all alike: `n1`, `n2`, … */
  readonly nodes: number | readonly Omit<NodeSpec, 'address'>[]
  /** Applied in this order, as soon as all nodes are Ready. */
  readonly manifests: readonly object[]
  readonly balancer: BalancerDescription
  /** Further HAProxy instances, each on a host of its own, with a runtime API of its own. */
  readonly beside?: readonly BalancerDescription[]
  /** How long a machine that reboots stays dark. */
  readonly darkMs: number
  /** `usual`: heartbeats and patience as of kubelets and a controller manager that are told nothing; else as of test clusters. */
  readonly pace?: 'usual'
  /** Kubelets hold up a shutdown for so long (KEP-2000); absent: they do not. */
  readonly shutdownGraceMs?: number
}

/** One HAProxy: where its runtime API and its frontends are. */
export interface BalancerInstance {
  readonly name: string
  readonly host: string
  readonly socket: string
  readonly balancer: VirtualBalancer
}

const NAMES = ['default', 'kube-system', 'kube-node-lease', 'evenkeel']

/** A cluster with its machines, its traffic and a balancer before it, in virtual time. Nothing happens until time goes on. */
export class VirtualCluster {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly world: World
  readonly network: VirtualNetwork
  readonly machines: Machines
  /** The first of its instances, which most worlds have alone. */
  readonly balancer: VirtualBalancer
  readonly instances: readonly [BalancerInstance, ...BalancerInstance[]]
  readonly nodes: readonly string[]
  readonly apiServer: VirtualApiServer
  readonly watchLag: WatchLag

  constructor(description: ClusterDescription, turns: VirtualTimeParts['turns']) {
    const { seed, startAt, nodes, manifests, balancer, beside = [], darkMs, pace, shutdownGraceMs } = description
    this.time = new VirtualTime({ startAt, turns })
    this.random = new SeededRandom(seed)
    this.watchLag = new WatchLag(this.random.fork('watch lag'))
    const timers = this.time
    const store = new Store()
    const watches = new WatchCache({ store, timers, lagMsOf: this.watchLag.msOf })
    this.world = { store, clock: this.time, random: this.random.fork('uids'), watches }
    for (const name of NAMES) createObject(this.world, { resource: NAMESPACES, body: { metadata: { name } } })
    const timing = pace === 'usual' ? STANDARD_NODE_TIMING : FAST_NODE_TIMING
    this.apiServer = new VirtualApiServer({
      timers,
      random: this.random.fork('api server'),
      store,
      watches,
      runControllers: () => runControllers({ world: this.world, timers }, timing),
    })
    this.network = new VirtualNetwork({ timers, random: this.random.fork('network') })
    const plane = new VirtualDataPlane({ network: this.network, timers, random: this.random.fork('plane') })
    this.machines = new Machines({
      world: this.world,
      timers,
      random: this.random.fork('machines'),
      plane,
      accessOf: () => this.apiServer,
      settings: { ...(pace === 'usual' ? DEFAULT_KUBELET : FAST_KUBELET), ...present({ shutdownGraceMs }) },
      darkMs,
    })
    const specs = nodeSpecs(nodes)
    this.nodes = specs.map(({ name }) => name)
    for (const spec of specs) this.machines.add(spec)
    this.#whenReady(() => {
      for (const manifest of manifests) applyManifest(this.world, manifest)
    })
    const first = this.#startInstance(balancer, 0, specs)
    this.balancer = first.balancer
    this.instances = [first, ...beside.map((one, i) => this.#startInstance(one, i + 1, specs))]
  }

  #startInstance(description: BalancerDescription, at: number, nodes: readonly NodeSpec[]): BalancerInstance {
    const host = `127.0.0.${at + 1}`
    this.network.addHost(host)
    const balancer = new VirtualBalancer({
      network: this.network.from(host),
      timers: this.time,
      clock: this.time,
      config: balancerConfig(description, { host, nodes }),
      firstPid: 100 * (at + 1),
    })
    return { name: `lb-${at + 1}`, host, socket: `/run/haproxy${at === 0 ? '' : `-${at + 1}`}.sock`, balancer }
  }

  /** Nodes become Ready one after the other: whatever is applied before the last of them is crowded on the first. */
  #whenReady(run: () => void): void {
    const ready = new Set<string>()
    const end = this.world.store.subscribe(NODES, ({ object }) => {
      if (readiness(object) === 'True') ready.add(object.metadata.name)
      if (ready.size < this.nodes.length) return
      end()
      this.time.later(0, run)
    })
  }

  /** Nothing runs any more; what is there can still be looked at. */
  end(): void {
    this.apiServer.kill()
    for (const { balancer } of this.instances) balancer.stop()
    this.machines.end()
  }
}

/** Of the first instance. */
export const BALANCER_HOST = '127.0.0.1'

/** The i-th of up to 65 000. */
const nodeAddress = (i: number): string => `172.16.${Math.floor((i + 1) / 250)}.${((i + 1) % 250) + 1}`

function nodeSpecs(nodes: ClusterDescription['nodes']): readonly NodeSpec[] {
  const named = typeof nodes === 'number' ? Array.from({ length: nodes }, (_, i) => ({ name: `n${i + 1}` })) : nodes
  return named.map((node, i) => ({ ...node, address: nodeAddress(i) }))
}
