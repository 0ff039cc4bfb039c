import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RolloutEnd, RolloutOptions } from '../../../src/demo/ingress/ingress-demo-actions.ts'
import type { FollowParts } from '../../../src/ground/kube/follow.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { systemSoon as soon } from '../../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import type { BalancerConfig } from '../../../src/sim/balancer/balancer-config.ts'
import { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import type { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { INGRESS_DAEMON_SETS, PODS } from '../../../src/sim/world/api-resource.ts'
import type { RollSurroundings } from '../../roll/world.ts'
import { HERE } from '../article-cluster.ts'
import { onFreePort } from '../free-port.ts'
import { type OpenBalancer, openBalancer } from '../open-balancer.ts'
import { allChecked, nodePortsAnswer, nodesReady, until, within } from '../settling.ts'
import { controllerOfOurs } from './controller-of-ours.ts'
import { openNodeAgent } from './node-agent.ts'
import { RolloutProgress } from './rollout-progress.ts'
import { type RolloutPorts, rolloutService, WORKLOADS } from './rollout-workloads.ts'

const NODES = ['n1', 'n2', 'n3']
const ROLLOUT_LIMIT_MS = 180_000
const WANTED: RolloutPorts = { app: 8_080, node: 30_080, agent: 8_090, agentStatus: 8_091 }

interface Place extends RolloutOptions {
  readonly net: LoopbackNet
  readonly surroundings: RollSurroundings
}

/** An embedded cluster with one workload on each node, its balancer, and all that an IngressDaemonSet needs. */
export class EmbeddedRollout {
  readonly nodes = NODES
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-demo-'))
  readonly #place: Place
  readonly #stop = new AbortController()
  /** What has to be ended, in reverse order. */
  readonly #ends: (() => void | Promise<void>)[] = []
  /** Agents and the controller; settles only if one of them cannot go on. */
  #beside: Promise<unknown> = new Promise(() => undefined)
  #cluster: EmbeddedCluster | undefined
  #balancer: OpenBalancer | undefined
  #ports = WANTED
  #url = ''

  private constructor(place: Place) {
    this.#place = place
    const removeFolder = (): void => rmSync(this.folder, { recursive: true, force: true })
    // Also if there is no time to wait.
    process.once('exit', removeFolder)
    this.#ends.push(
      () => void process.off('exit', removeFolder),
      removeFolder,
      () => place.net.close(),
    )
  }

  /** Resolves once it serves v1. `net` is closed with it. */
  static async open(place: Place, signal: AbortSignal): Promise<EmbeddedRollout> {
    const made = new EmbeddedRollout(place)
    try {
      await made.#start(signal)
      return made
    } catch (error) {
      await made.end()
      throw error
    }
  }

  get url(): string {
    return this.#url
  }

  get about(): string {
    return this.#balancer?.about ?? ''
  }

  get cluster(): EmbeddedCluster {
    if (this.#cluster === undefined) throw new Error('the cluster has not started')
    return this.#cluster
  }

  /** To v2. */
  async rollOut(tell: (node: string, step: string) => void, signal: AbortSignal): Promise<RolloutEnd> {
    const { kind } = this.#place
    const progress = new RolloutProgress(kind, this.cluster.world.store, tell)
    try {
      this.#apply('v2')
      const rolledOut = within(ROLLOUT_LIMIT_MS)(signal, `the rollout of the ${kind}`, () => {
        progress.read(clock.wallMs())
        return progress.done === NODES.length && this.#serves('v2')
      })
      await Promise.race([rolledOut, this.#beside])
      return {}
    } catch (error) {
      if (signal.aborted || !(error instanceof WorldError)) throw error
      return { failure: error.message }
    } finally {
      progress.end()
    }
  }

  async end(): Promise<void> {
    this.#stop.abort(new Error('the demo is over'))
    for (const end of this.#ends.splice(0).reverse()) await end()
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { net, kind } = this.#place
    const { folder } = this
    const nodes = NODES.map((name) => ({ name }))
    const chance = { seed: random.hex(8), token: random.hex(32) }
    const parts = { ...chance, clock, timers, soon, folder, name: 'demo', net, nodes, darkMs: 0 }
    const cluster = await EmbeddedCluster.open(parts)
    this.#cluster = cluster
    this.#ends.push(() => cluster.end())
    await until(signal, 'nodes that are ready', () => nodesReady(cluster.world, NODES.length))
    this.#ports = await freePorts(net)
    cluster.apply([rolloutService(this.#ports)])
    if (kind === 'IngressDaemonSet') await this.#startBeside(signal)
    this.#apply('v1')
    await until(signal, 'pods that are ready', () => this.#serves('v1'))
    const entries = NODES.map((_, i) => ({ host: net.nodeAddress(i + 1), port: this.#ports.node }))
    await until(signal, 'node ports that answer', () => nodePortsAnswer(cluster.plane, entries))
    await onFreePort({ host: HERE, wanted: undefined }, (port) => this.#startBalancer(port, signal))
    await until(signal, "the balancer's checks to pass", () => allChecked(this.#balancer?.socket ?? ''))
  }

  /** The agent of each node, and the controller. */
  async #startBeside(signal: AbortSignal): Promise<void> {
    const { net } = this.#place
    const { cluster, folder } = this
    const ports = this.#ports
    const stop = this.#stop.signal
    const api = await this.#api(signal)
    const running: Promise<void>[] = []
    for (const [i, name] of NODES.entries()) {
      const node = { name, address: net.nodeAddress(i + 1) }
      const agent = await openNodeAgent({ cluster, net, api, node, ports, folder }, stop)
      this.#ends.push(() => agent.close())
      running.push(agent.running)
    }
    this.#beside = Promise.all([...running, controllerOfOurs({ api, net, agentPort: ports.agentStatus }, stop)])
    this.#beside.catch(() => undefined)
    this.#ends.push(async () => void (await Promise.allSettled([this.#beside])))
  }

  async #api(signal: AbortSignal): Promise<FollowParts> {
    const { env, log, version } = this.#place.surroundings
    const options = { env, clock, random, log, userAgent: `evenkeel/${version}` }
    return (await openApi({ ...options, kubeconfigPath: this.cluster.kubeconfig }, signal)).parts
  }

  async #startBalancer(port: number, signal: AbortSignal): Promise<void> {
    const { net, balancer, surroundings } = this.#place
    const place = { kind: balancer, env: surroundings.env, net, plane: this.cluster.plane, folder: this.folder }
    const opened = await openBalancer(place, this.#balancerConfig(port), signal)
    this.#url = `http://${HERE}:${port}/`
    this.#balancer = opened
    this.#ends.push(() => opened.end())
  }

  #balancerConfig(port: number): BalancerConfig {
    const { net, kind } = this.#place
    const ports = this.#ports
    return {
      host: HERE,
      frontends: [{ name: 'front-web', port, backend: 'web' }],
      backends: [
        {
          name: 'web',
          servers: NODES.map((name, i) => ({ name, address: net.nodeAddress(i + 1), port: ports.node })),
          check: WORKLOADS[kind].check(ports),
        },
      ],
      connectTimeoutMs: 1_000,
      clientTimeoutMs: 30_000,
      serverTimeoutMs: 10_000,
    }
  }

  #apply(version: string): void {
    this.cluster.apply([WORKLOADS[this.#place.kind].manifest(version, this.#ports.app)])
  }

  /** All pods have this version and are Ready, and an IngressDaemonSet reports so too. */
  #serves(version: string): boolean {
    const { kind } = this.#place
    const { store } = this.cluster.world
    const pods = [...store.all(PODS)] as PodObject[]
    const isComplete = pods.length === NODES.length * WORKLOADS[kind].podsPerNode
    if (!isComplete || !pods.every((pod) => isReady(pod) && versionOf(pod) === version)) return false
    return kind === 'DaemonSet' || [...store.all(INGRESS_DAEMON_SETS)].every(isObjectReady)
  }
}

const versionOf = ({ spec: { containers } }: PodObject): string | undefined => {
  const [container] = containers as readonly {
    readonly env?: readonly { readonly name: string; readonly value?: string }[]
  }[]
  return container?.env?.find(({ name }) => name === 'VERSION')?.value
}

/** As `kubectl wait --for=condition=Ready` sees it. */
function isObjectReady(object: ApiObject): boolean {
  const { conditions = [] } = (object.status ?? {}) as { conditions?: readonly { type: string; status: string }[] }
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')
}

/** Other ports if something on this machine listens there on every address. */
async function freePorts(net: LoopbackNet): Promise<RolloutPorts> {
  const app = await net.freePort(WANTED.app)
  const node = await net.freePort(WANTED.node, [app])
  const agent = await net.freePort(WANTED.agent, [app, node])
  return { app, node, agent, agentStatus: await net.freePort(WANTED.agentStatus, [app, node, agent]) }
}
