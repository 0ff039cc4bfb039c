import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import type { PodObject } from '../../../../src/sim/actors/pod-object.ts'
import type { BalancerState } from '../../../../src/sim/balancer/balancer-state.ts'
import type { Server } from '../../../../src/sim/balancer/server.ts'
import type { BalancerInstance, VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import type { ApiRequest } from '../../../../src/sim/world/api-request.ts'
import { NODES, PODS } from '../../../../src/sim/world/api-resource.ts'
import { type EngineRequest, isCordon } from '../engine-request.ts'
import { endsWithinMs, isRuleAway } from '../mutations/rules/rule-switch.ts'
import { AGENT_PORT } from '../virtual-agent.ts'
import { REQUEST } from '../virtual-detacher.ts'
import { HEALTH_PORT, isMarked } from '../virtual-health-checks.ts'
import { claimants } from './claimants.ts'
import { isMarkTaint, TAINTS_PATH, wordAt } from './node-word.ts'
import { type AdminWord, type ServerWord, serverKey, serverWords, whichTakesMore } from './server-word.ts'
import { TakenOut } from './taken-out.ts'

/** One server of one instance, and the node that it leads to. */
export interface ServerFact {
  readonly key: string
  readonly instance: string
  readonly backend: string
  readonly node: string
  readonly address: string
  readonly port: number
  readonly admin: AdminWord
  /** What was set on this very server. */
  readonly own: AdminWord
  /**
   * How a roll takes it out. `socket`: by the runtime API of its balancer. All others are told by the Node: `admin` is `drain` while
   * their balancer does not send to them.
   */
  readonly by: 'socket' | 'agent' | 'mark' | 'detacher'
  /** The key of the server that it tracks. */
  readonly tracks: string | undefined
  readonly isUsable: boolean
  /** It takes all that it can: it is no backup, and does not warm up. */
  readonly carries: boolean
}

/** What was there before any roll began. */
interface Prior {
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
  /** When people last set a server. */
  readonly handSetMs = new Map<string, number>()
  /** Servers whose weight people have set to 0. */
  readonly weightless = new Set<string>()
  /** When people reloaded which instance. */
  readonly reloads: { readonly atMs: number; readonly instance: string }[] = []
  /** When nothing passed between an instance and some node. */
  readonly partitionsMs: { readonly instance: string; readonly from: number; readonly to: number }[] = []
  /** When the agent of a node did not do as it should. */
  readonly hurtAgents: { readonly node: string; readonly from: number; readonly to: number }[] = []
  /** When rolls cut the sessions of a server. */
  readonly cutsMs: { readonly instance: string; readonly atMs: number }[] = []
  /** When a control target failed that was well before. */
  readonly controlFailuresMs: { readonly from: number; readonly to: number }[] = []
  /** When the prober could reach nothing, and a control that was well before excused what it measured. */
  readonly blindMs: { readonly from: number; readonly to: number }[] = []
  /** Machines that lost their power, and Nodes that were deleted, by no roll: until they were there again. */
  readonly handOutages: { readonly node: string; readonly from: number; readonly to: number }[] = []
  /** When people took the member of etcd off a node. */
  readonly handMembers: { readonly node: string; readonly from: number; readonly to: number }[] = []
  /** A registry was away, so that pods may be back later. */
  pullsLate = false
  /** Whether such a machine or Node is not back yet, with its pods: what is sent to a Service may end at one of them. */
  readonly wasOutAt = (atMs: number): boolean => {
    const backMs = PODS_BACK_MS + (this.pullsLate ? PULLED_AGAIN_MS : 0)
    return this.handOutages.some(({ from, to }) => atMs >= from && atMs <= to + backMs)
  }
  /** Nodes whose cordon people set or took, or that registered anew without theirs. */
  readonly handCordons = new Set<string>()
  /** When people cordoned or uncordoned a node. */
  readonly cordonsMs: number[] = []
  /** Whether people did so that little ago: what was decided before may still arrive. */
  readonly wasCordonedByHand = (withinMs: number): boolean =>
    this.cordonsMs.some((at) => at <= this.nowMs && this.nowMs - at <= withinMs)
  /** Nodes that people deleted: what was known of them stood on an object that is no more. */
  readonly registeredAnew = new Set<string>()
  #isFirstRollOver = false
  readonly #stopped = Promise.withResolvers<never>()
  /** When people deleted the slot. */
  readonly leaseDeletionsMs: number[] = []
  /** What runs were called in the slot whose journal people lost. */
  readonly lostRuns = new Set<string>()
  /** The longest that the balancer took to carry out a command. */
  balancerLateMs = 0
  /** How many nodes may be out together. */
  mostOut = 1
  /** How many lost requests the files allow in all. */
  lossesAllowed = 0
  /** How many rolls were begun: each boots each of its nodes once. */
  rolls = 0
  /** The file has pods deleted that may not be evicted. */
  mayDelete = false
  /** The file has the conditions of nodes announced. */
  mayAnnounce = false
  /** Whether the roll file has the lock of kured taken. */
  mayTakeLock = false
  /** Run → how many processes of it have begun. */
  readonly #processes = new Map<string, number>()
  /** `detach.idleLimit` of the rolls. */
  idleLimitMs = 5_000
  /** To be called right after people did something: it may be undone before the next look. */
  onHand: () => void = () => undefined
  /** Whether a process runs that can reach all that it needs, and could for a while. */
  isSomebodyThere: () => boolean = () => true
  /** Whether the runtime API of that instance answers, and has for a while. */
  isInstanceHeard: (instance: string) => boolean = () => true

  /** Instances that a detacher moves. */
  readonly #detached: readonly string[]

  constructor(cluster: VirtualCluster, { detached = [] }: { readonly detached?: readonly string[] } = {}) {
    this.cluster = cluster
    this.#detached = detached
    this.prior = {
      nodes: new Map(this.nodes().map((node) => [node.metadata.name, node])),
      servers: new Map(this.servers().map(({ key, admin }) => [key, admin])),
      boots: new Map([...cluster.machines.all()].map(({ name, boots }) => [name, boots])),
    }
  }

  /** How many processes of rolls have begun. */
  get processes(): number {
    return [...this.#processes.values()].reduce((sum, count) => sum + count, 0)
  }

  processesOf(run: string): number {
    return this.#processes.get(run) ?? 0
  }

  processBegan(run: string): void {
    this.#processes.set(run, this.processesOf(run) + 1)
  }

  /** The people who operated the first roll have seen it through. */
  get isFirstRollOver(): boolean {
    return this.#isFirstRollOver
  }

  firstRollEnded(): void {
    this.#isFirstRollOver = true
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
    return this.cluster.instances.flatMap((instance) => factsOf(instance, this.#detached.includes(instance.name)))
  }

  /** From then on its servers go out, whichever others are left. */
  isAnnounced(name: string): boolean {
    return this.nodes().some(({ metadata }) => metadata.name === name && INTENT in (metadata.annotations ?? {}))
  }

  /** No other server of its backend carries, and no reboot of its node is announced: where it serves, a roll leaves it so. */
  servesOn({ key, node }: ServerFact): boolean {
    const ofBackend = key.slice(0, key.indexOf('/') + 1)
    const isOther = (other: ServerFact): boolean => other.key !== key && other.key.startsWith(ofBackend)
    return !this.servers().some((other) => isOther(other) && other.carries) && !this.isAnnounced(node)
  }

  /** What a request makes of servers: of those that it names, and of those that track them. */
  words(request: EngineRequest): readonly ServerWord[] {
    if (request.kind === 'api') return this.#wordsToNode(request.request)
    const words = serverWords(request)
    if (words.length === 0) return words
    const servers = this.servers()
    return words.flatMap(({ key, to }) => {
      const tracked = servers.find((server) => server.key === servers.find((one) => one.key === key)?.tracks)
      const trackers = servers.filter(({ tracks }) => tracks === key)
      return [
        { key, to: whichTakesMore(to, tracked?.admin ?? 'ready') },
        ...trackers.map((tracker) => ({ key: tracker.key, to: whichTakesMore(to, tracker.own) })),
      ]
    })
  }

  /** Whether a claim asks the agent of that node, an annotation asks a detacher, or a mark is on the Node, so that it leaves its balancers. */
  isAskedToLeave(node: string): boolean {
    const found = this.nodes().find(({ metadata }) => metadata.name === node)
    return (
      claimants(found).length > 0 ||
      (found !== undefined && (isMarked(found) || REQUEST in (found.metadata.annotations ?? {})))
    )
  }

  isCordoned(name: string): boolean {
    return this.nodes().some(({ metadata, spec }) => metadata.name === name && spec?.unschedulable === true)
  }

  /** What a cordon makes of servers whose balancers go by the agent of their node: it leaves them. */
  cordonWords(request: EngineRequest): readonly ServerWord[] {
    if (request.kind !== 'api' || !isCordon(request)) return []
    return this.#wordsOf(nodeIn(request.request.path), 'drain', ({ by }) => by === 'agent')
  }

  #wordsOf(
    node: string,
    to: AdminWord,
    isMeant = ({ by }: ServerFact): boolean => by !== 'socket',
  ): readonly ServerWord[] {
    return this.servers()
      .filter((server) => isMeant(server) && server.node === node)
      .map(({ key }) => ({ key, to }))
  }

  #wordsToNode({ method, path, body }: ApiRequest): readonly ServerWord[] {
    if (method !== 'PATCH' || !Array.isArray(body)) return []
    const steps = body as readonly { op: string; path: string; value?: unknown }[]
    const isTaint = (one: (typeof steps)[number]): boolean => this.#isTaint(nodeIn(path), one)
    const op = steps.findLast((one) => wordAt(one.path) !== undefined || isTaint(one))?.op
    if (op !== 'add' && op !== 'remove') return []
    return this.#wordsOf(nodeIn(path), op === 'add' ? 'drain' : 'ready')
  }

  /** A step of a patch that sets the taint that health checks go by, or takes it off. */
  #isTaint(node: string, { path, value }: { path: string; value?: unknown }): boolean {
    if (!path.startsWith(TAINTS_PATH)) return false
    if (value !== undefined) return isMarkTaint({ path, value })
    const taints = this.nodes().find(({ metadata }) => metadata.name === node)?.spec?.taints ?? []
    return isMarkTaint({ path, value: taints[Number(path.slice(TAINTS_PATH.length + 1))] })
  }

  tell(checker: string, text: string): void {
    if (this.violations.length < MOST_TOLD) this.violations.push({ checker, atMs: this.nowMs, text })
    if (!isRuleAway()) return
    this.#stopped.promise.catch(() => undefined)
    this.#stopped.reject(new Error('one violation shows that the rule is away'))
  }

  /** The work, given up at the first violation where a rule is away, or late: what comes after that tells no more. */
  untilTold<T>(work: Promise<T>): Promise<T> {
    const withinMs = endsWithinMs()
    if (withinMs !== undefined)
      this.cluster.time.later(withinMs, () =>
        this.#stopped.reject(new Error(`nothing has ended within ${withinMs} ms`)),
      )
    return Promise.race([work, this.#stopped.promise])
  }
}

const MOST_TOLD = 20
const nodeIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
/** From a machine that is switched on until its kubelet has its pods ready again and the balancer has seen it. */
const PODS_BACK_MS = 15_000
/** An image that could not be pulled is pulled again after 10 s, and then after 20 s. */
const PULLED_AGAIN_MS = 30_000
const INTENT = 'evenkeel.dev/intent'

function factsOf(
  { name: instance, balancer: { state } }: BalancerInstance,
  isDetached: boolean,
): readonly ServerFact[] {
  const known =
    FACTS.get(state) ??
    state.backends.flatMap(({ name: backend, servers }) =>
      servers.map((at) => factOf(at, { instance, backend }, isDetached)),
    )
  FACTS.set(state, known)
  return known
}

/** Of a process of the balancer, as it is whenever it is looked at: every checker does so several times a second. */
const FACTS = new WeakMap<BalancerState, readonly ServerFact[]>()

function factOf(server: Server, place: Pick<ServerFact, 'instance' | 'backend'>, isDetached: boolean): ServerFact {
  const { port } = server.check?.config ?? {}
  const byCheck = port === AGENT_PORT ? 'agent' : port === HEALTH_PORT ? 'mark' : 'socket'
  const by = isDetached ? 'detacher' : byCheck
  return {
    ...place,
    key: serverKey(place.instance, `${place.backend}/${server.config.name}`),
    node: server.config.name,
    address: server.config.address,
    port: server.config.port,
    get admin() {
      return by !== 'socket' && !server.isUsable ? 'drain' : server.admin
    },
    get own() {
      return server.own
    },
    by,
    tracks: server.config.track === undefined ? undefined : serverKey(place.instance, server.config.track),
    get isUsable() {
      return server.isUsable
    },
    get carries() {
      return server.isUsable && server.oper === 'running' && server.config.isBackup !== true
    },
  }
}
