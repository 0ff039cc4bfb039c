import { wallMs } from '../../../src/ground/model/time.ts'
import { readiness } from '../../../src/sim/actors/node-object.ts'
import { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { NODES, PODS, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { turnsOfLoop } from '../turns-of-loop.ts'
import { type DrawnFault, type FaultKind, NODE_FAULTS, type Place, POD_FAULTS } from './dns-faults.ts'
import { dnsManifests, editOf, neighbours, nodesOf, someService, WINDOWS } from './dns-manifests.ts'
import { DnsNetwork } from './dns-network.ts'
import { DnsPods } from './dns-pods.ts'
import type { Deed, DnsScenario, From } from './dns-scenario.ts'
import type { DnsSetup } from './dns-setup.ts'
import { FaultBoard } from './fault-board.ts'
import { ServiceRules } from './service-rules.ts'

const STARTED_WITHIN_S = 120
/** Services that are there before, so that one of them is old enough to be asked for. */
const EARLIER_SERVICES = 2
const AGAIN_MS = 5_000
/** Until nothing is left of it: pods follow the API again within a minute, and plugin cache keeps what was not known for half of one. */
const LATE_MS: Partial<Record<FaultKind, number>> = { stale: 30_000, apiAway: 90_000 }

/** A cluster in virtual time with DNS in it, and what is wrong there. */
export class DnsGround {
  readonly cluster: VirtualCluster
  readonly board: FaultBoard
  readonly pods: DnsPods
  readonly network: DnsNetwork
  readonly #setup: DnsSetup
  readonly #scenario: DnsScenario
  #services = 0

  private constructor(cluster: VirtualCluster, scenario: DnsScenario) {
    const { setup } = scenario
    this.cluster = cluster
    this.#setup = setup
    this.#scenario = scenario
    this.board = new FaultBoard(() => cluster.time.monoMs())
    const faults = this.board.active
    this.pods = new DnsPods({ cluster, setup, faults })
    const rules = new ServiceRules(cluster, faults)
    this.network = new DnsNetwork({ cluster, setup, faults, rules, pods: this.pods })
    this.#watchChanges()
  }

  static async open(scenario: DnsScenario): Promise<DnsGround> {
    const cluster = new VirtualCluster(
      {
        seed: `dns ${scenario.seed}`,
        startAt: wallMs(Date.UTC(2026, 0, 1)),
        nodes: nodesOf(scenario),
        darkMs: 500,
        manifests: [],
        balancer: { fronts: [], check: { interMs: 60_000, fall: 3, rise: 2 } },
        pace: 'usual',
      },
      turnsOfLoop,
    )
    const { setup, nodes, replicas } = scenario
    const ground = new DnsGround(cluster, scenario)
    await ground.until('all Nodes to be Ready', () => ground.readyNodes().length === nodes, STARTED_WITHIN_S)
    for (let i = 0; i < EARLIER_SERVICES; i += 1) ground.addService()
    for (const manifest of [...dnsManifests(scenario), neighbours()]) applyManifest(cluster.world, manifest)
    const beside = setup.beside === 'deployment' ? replicas - 1 : 0
    const wanted = setup.workload === 'DaemonSet' ? nodes + beside : replicas
    const isServed = (): boolean => ground.pods.serving().length === wanted
    await ground.until('all pods of DNS to be Ready', isServed, STARTED_WITHIN_S)
    // Until the kube-proxies have them, and the newest Service is old enough.
    await cluster.time.advance(80_000)
    return ground
  }

  end(): void {
    this.cluster.end()
  }

  /** Names outside of the cluster are asked of others. */
  get forwards(): boolean {
    return this.#setup.corefile !== 'noForward'
  }

  get hasCaches(): boolean {
    return this.#setup.hasCaches
  }

  /** Why no relay runs on that node; undefined: one does. */
  relayRefusal(node: string): string | undefined {
    if (this.#setup.isFull) return `there is no room on ${node}`
    return this.readyNodes().includes(node) ? undefined : `no relay runs on ${node}`
  }

  /** Why nothing is forwarded to pods of that node; undefined: it is. */
  noWayTo(node: string): string | undefined {
    const { apiServer, machines } = this.cluster
    if (apiServer.life === undefined) return 'the API server is away'
    return machines.get(node)?.isOn === true ? undefined : `${node} is not reached`
  }

  /** Those of Linux. */
  readyNodes(): readonly string[] {
    return [...this.cluster.world.store.all(NODES)]
      .filter((node) => readiness(node) === 'True' && node.metadata.name !== WINDOWS)
      .map(({ metadata }) => metadata.name)
      .toSorted()
  }

  /** By a client that waits until the API server is there. */
  addService(): void {
    if (this.cluster.apiServer.life === undefined) {
      this.cluster.time.later(AGAIN_MS, () => this.addService())
      return
    }
    applyManifest(this.cluster.world, someService(this.#services, this.#setup))
    this.#services += 1
  }

  /** A node or a machine beside the cluster. */
  placeOf({ kind, pick }: From, as: Pick<Place, 'name' | 'owner'>): Place {
    if (kind === 'outside') return { ...as, isHost: true }
    const nodes = this.readyNodes()
    const node = nodes[pick % nodes.length] ?? ''
    return { ...as, node, isHost: kind === 'host', ...(this.#setup.lacksIpv6 ? { lacksIpv6: true } : {}) }
  }

  /** It is so until the returned function is called. Undefined: there is nothing that it could be about. */
  fault(drawn: DrawnFault, isKept: (node: string) => boolean): (() => void) | undefined {
    const { pods, cluster, board } = this
    const serving = pods.serving()
    const pod = serving[drawn.pick % serving.length]
    const nodes = this.readyNodes().filter((name) => drawn.kind !== 'nodeDown' || !isKept(name))
    const node = nodes[drawn.pick % nodes.length]
    if (pod === undefined || node === undefined) return undefined
    const fault = { ...drawn, ...(isOfNode(drawn) ? { node } : isOfPod(drawn) ? { pod: pod.uid } : {}) }
    board.begin(fault)
    if (drawn.kind === 'stale') pods.cutWatch(pod.uid)
    if (drawn.kind === 'nodeDown') cluster.machines.get(node)?.powerCut()
    if (drawn.kind === 'apiAway') cluster.apiServer.kill()
    this.#edit(drawn.kind, true)
    return () => {
      if (drawn.kind === 'stale') pods.watchAgain(pod.uid)
      if (drawn.kind === 'nodeDown') cluster.machines.get(node)?.powerOn()
      if (drawn.kind === 'apiAway') {
        cluster.apiServer.start()
        pods.apiIsBack()
      }
      this.#edit(drawn.kind, false)
      cluster.time.later(LATE_MS[drawn.kind] ?? 0, () => board.end(fault))
    }
  }

  deed({ kind, pick }: Deed): void {
    this.board.changed()
    if (kind === 'cordon') {
      const nodes = this.readyNodes()
      this.#cordon(nodes[pick % nodes.length], true)
      return
    }
    const metadata = { namespace: 'kube-system', name: 'coredns' }
    const { workload } = this.#setup
    if (kind === 'scale' && workload === 'DaemonSet') return
    const template = { metadata: { annotations: { 'test.local/at': String(pick) } } }
    const spec = kind === 'scale' ? { replicas: 2 + (pick % 3) } : { template }
    applyManifest(this.cluster.world, { apiVersion: 'apps/v1', kind: workload, metadata, spec })
  }

  /** A person deletes what a repair has kept. */
  deleteQuarantined(): void {
    for (const old of this.pods.quarantined())
      deleteObject(this.cluster.world, { resource: PODS, old, options: { gracePeriodSeconds: 0 } })
  }

  uncordonAll(): void {
    for (const name of this.cluster.nodes) this.#cordon(name, false)
  }

  condition(): string {
    const service = this.cluster.world.store.get(SERVICES, { namespace: 'kube-system', name: 'kube-dns' })
    const { conditions = [] } = (service?.status ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
    }
    return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).join(', ')
  }

  /** Virtual time goes on until it holds. */
  async until(what: string, holds: () => boolean, withinS: number): Promise<void> {
    for (let step = 0; step < withinS * 4; step += 1) {
      if (holds()) return
      await this.cluster.time.advance(250)
    }
    throw new Error(`waited for ${what} for ${withinS} s: ${this.condition()}`)
  }

  /** The objects of DNS are so, or as they were. */
  #edit(kind: FaultKind, isWrong: boolean): void {
    for (const manifest of editOf(kind, isWrong, this.#scenario)) applyManifest(this.cluster.world, manifest)
  }

  #cordon(name: string | undefined, unschedulable: boolean): void {
    const { store } = this.cluster.world
    const node = name === undefined ? undefined : store.get(NODES, { name })
    if (node === undefined) return
    const { unschedulable: was = false, ...spec } = node.spec as { readonly unschedulable?: boolean }
    if (was !== unschedulable) store.put(NODES, { ...node, spec: unschedulable ? { ...spec, unschedulable } : spec })
  }

  /** Of pods of DNS, of their endpoints, and of Nodes: until a check and all kube-proxies have them. */
  #watchChanges(): void {
    const { store } = this.cluster.world
    const states = new Map<string, string>()
    const note = (key: string, state: string): void => {
      if (states.get(key) === state) return
      states.set(key, state)
      this.board.changed()
    }
    store.subscribe(PODS, ({ type, object: { metadata, status } }) => {
      if (metadata.namespace !== 'kube-system') return
      const conditions = (
        status as { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
      )?.conditions
      const ready = conditions?.find((one) => one.type === 'Ready')?.status
      const { labels, deletionTimestamp } = metadata
      note(metadata.uid, JSON.stringify([type === 'DELETED', ready, labels, deletionTimestamp]))
    })
    store.subscribe(NODES, ({ type, object }) => {
      note(object.metadata.name, JSON.stringify([type === 'DELETED', readiness(object), object.spec]))
    })
  }
}

const isOfPod = ({ kind }: DrawnFault): boolean => (POD_FAULTS as readonly string[]).includes(kind)
const isOfNode = ({ kind }: DrawnFault): boolean => (NODE_FAULTS as readonly string[]).includes(kind)
