import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import type { PodObject } from '../../../../src/sim/actors/pod-object.ts'
import type { BalancerState } from '../../../../src/sim/balancer/balancer-state.ts'
import type { Server } from '../../../../src/sim/balancer/server.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { NODES, PODS } from '../../../../src/sim/world/api-resource.ts'
import type { AdminWord } from './server-word.ts'
import { TakenOut } from './taken-out.ts'

/** One server of the balancer and the node that it leads to. */
export interface ServerFact {
  readonly key: string
  readonly node: string
  readonly address: string
  readonly port: number
  readonly admin: AdminWord
  readonly isUsable: boolean
}

/** What was there before anybody rolled. */
export interface Prior {
  readonly nodes: ReadonlyMap<string, NodeObject>
  readonly servers: ReadonlyMap<string, AdminWord>
  readonly boots: ReadonlyMap<string, number>
}

export interface Violation {
  readonly checker: string
  /** Since the cluster began. */
  readonly atMs: number
  readonly text: string
}

/** The world as checkers look at it, and what people did to it by hand, which no roll answers for. */
export class Scene {
  readonly cluster: VirtualCluster
  readonly prior: Prior
  readonly violations: Violation[] = []
  readonly takenOut = new TakenOut(this)
  /** Boots that people brought about, by node. */
  readonly handBoots = new Map<string, number>()
  /** Servers whose state people set, or a reload without a state file lost, and to what. */
  readonly handStates = new Map<string, AdminWord>()
  /** When people reloaded the balancer. */
  readonly reloadsMs: number[] = []
  /** When nothing passed between the balancer and some node. */
  readonly partitionsMs: { readonly from: number; readonly to: number }[] = []
  /** Machines that lost their power, and Nodes that were deleted, by no roll: until they were there again. */
  readonly handOutages: { readonly node: string; readonly from: number; readonly to: number }[] = []
  /** Whether such a machine or Node is not back yet, with its pods: what is sent to a Service may end at one of them. */
  readonly wasOutAt = (atMs: number): boolean =>
    this.handOutages.some(({ from, to }) => atMs >= from && atMs <= to + PODS_BACK_MS)
  /** Nodes whose cordon people set or took, or that registered anew without theirs. */
  readonly handCordons = new Set<string>()
  /** When people cordoned or uncordoned a node. */
  readonly cordonsMs: number[] = []
  /** Whether people did so that little ago: what was decided before may still arrive. */
  readonly wasCordonedByHand = (withinMs: number): boolean =>
    this.cordonsMs.some((at) => at <= this.nowMs && this.nowMs - at <= withinMs)
  /** Nodes that people deleted: what was known of them stood on an object that is no more. */
  readonly registeredAnew = new Set<string>()
  /** When people deleted the slot. */
  readonly leaseDeletionsMs: number[] = []
  /** The longest that the balancer took to carry out a command. */
  balancerLateMs = 0
  /** How many rolls were begun: each boots each of its nodes once. */
  rolls = 0
  /** How many processes of rolls have begun. */
  processes = 0
  /** To be called right after people did something: it may be undone before the next look. */
  onHand: () => void = () => undefined
  /** Whether a process runs that can reach all that it needs, and could for a while. */
  isSomebodyThere: () => boolean = () => true

  constructor(cluster: VirtualCluster) {
    this.cluster = cluster
    this.prior = {
      nodes: new Map(this.nodes().map((node) => [node.metadata.name, node])),
      servers: new Map(serverFacts(cluster).map(({ key, admin }) => [key, admin])),
      boots: new Map([...cluster.machines.all()].map(({ name, boots }) => [name, boots])),
    }
  }

  get nowMs(): number {
    return this.cluster.time.monoMs()
  }

  nodes(): readonly NodeObject[] {
    return [...this.cluster.world.store.all(NODES)] as NodeObject[]
  }

  pods(): readonly PodObject[] {
    return [...this.cluster.world.store.all(PODS)] as PodObject[]
  }

  servers(): readonly ServerFact[] {
    return serverFacts(this.cluster)
  }

  /** From then on its servers go out, whichever others are left. */
  isAnnounced(name: string): boolean {
    return this.nodes().some(({ metadata }) => metadata.name === name && INTENT in (metadata.annotations ?? {}))
  }

  /** No other server of its backend can serve, and no reboot of its node is announced: where it serves, a roll leaves it so. */
  servesOn({ key, node }: ServerFact): boolean {
    const ofBackend = key.slice(0, key.indexOf('/') + 1)
    const isOther = (other: ServerFact): boolean => other.key !== key && other.key.startsWith(ofBackend)
    return !this.servers().some((other) => isOther(other) && other.isUsable) && !this.isAnnounced(node)
  }

  tell(checker: string, text: string): void {
    if (this.violations.length < MOST_TOLD) this.violations.push({ checker, atMs: this.nowMs, text })
  }
}

const MOST_TOLD = 20
/** From a machine that is switched on until its kubelet has its pods ready again and the balancer has seen it. */
const PODS_BACK_MS = 15_000
const INTENT = 'evenkeel.dev/intent'

function serverFacts({ balancer: { state } }: VirtualCluster): readonly ServerFact[] {
  const known = FACTS.get(state) ?? state.backends.flatMap(({ name, servers }) => servers.map((at) => factOf(name, at)))
  FACTS.set(state, known)
  return known
}

/** Of a process of the balancer, as it is whenever it is looked at: every checker does so several times a second. */
const FACTS = new WeakMap<BalancerState, readonly ServerFact[]>()

const factOf = (backend: string, server: Server): ServerFact => ({
  key: `${backend}/${server.config.name}`,
  node: server.config.name,
  address: server.config.address,
  port: server.config.port,
  get admin() {
    return server.admin
  },
  get isUsable() {
    return server.isUsable
  },
})
