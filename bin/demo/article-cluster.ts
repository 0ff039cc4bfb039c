import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DemoClusterOptions } from '../../src/demo/demo-actions.ts'
import { PLAN_DETAILS } from '../../src/demo/demo-plan.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import type { BalancerConfig } from '../../src/sim/balancer/balancer-config.ts'
import { ARTICLE_PORTS, type ArticlePorts, database, ingress, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { ARTICLE_NODES, INGRESS_NODES, WORKERS } from './article-nodes.ts'
import { freePort, onFreePort } from './free-port.ts'
import { type OpenBalancer, openBalancer } from './open-balancer.ts'
import { rollFileText } from './roll-file-text.ts'
import { allChecked, nodePortsAnswer, nodesReady, podsReady, until } from './settling.ts'

export const HERE = '127.0.0.1'
/** How long a machine is dark at each reboot; a real one takes longer, which makes it no easier for any plan. */
const DARK_MS = 1_000

/** A fresh cluster of the article, its balancer, and the files that lead to both. */
export class ArticleCluster {
  readonly folder: string
  readonly net: LoopbackNet
  readonly nodes = ARTICLE_NODES.map(({ name }) => name)
  readonly rollFile: string
  #cluster: EmbeddedCluster | undefined
  #balancer: OpenBalancer | undefined
  #url = ''
  readonly #removeFolder: () => void

  private constructor(net: LoopbackNet) {
    this.net = net
    this.folder = mkdtempSync(join(tmpdir(), 'evenkeel-demo-'))
    this.rollFile = join(this.folder, 'roll.yaml')
    this.#removeFolder = () => rmSync(this.folder, { recursive: true, force: true })
    // Also if there is no time to wait.
    process.once('exit', this.#removeFolder)
  }

  static async open(options: DemoClusterOptions, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<ArticleCluster> {
    // A taken port is reported before anything is begun.
    if (options.port !== undefined) await freePort(HERE, options.port)
    const ground = new ArticleCluster(await LoopbackNet.open())
    try {
      await ground.#start(options, env, signal)
      return ground
    } catch (error) {
      await ground.end()
      throw error
    }
  }

  get cluster(): EmbeddedCluster {
    if (this.#cluster === undefined) throw new Error('the ground has not started')
    return this.#cluster
  }

  get balancerSocket(): string {
    return this.#balancer?.socket ?? ''
  }

  get url(): string {
    return this.#url
  }

  /** Which balancer it is, and why it is not HAProxy. */
  get about(): string {
    return this.#balancer?.about ?? ''
  }

  async end(): Promise<void> {
    await this.#balancer?.end()
    this.#cluster?.end()
    await this.net.close()
    this.#removeFolder()
    process.off('exit', this.#removeFolder)
  }

  async #start(
    { plan, port: wanted, balancer }: DemoClusterOptions,
    env: NodeJS.ProcessEnv,
    signal: AbortSignal,
  ): Promise<void> {
    const { folder, net } = this
    const cluster = await EmbeddedCluster.open({
      clock,
      timers,
      soon,
      seed: systemRandom.hex(8),
      token: systemRandom.hex(32),
      folder,
      name: 'demo',
      net,
      nodes: ARTICLE_NODES,
      darkMs: DARK_MS,
    })
    this.#cluster = cluster
    await until(signal, 'nodes that are ready', () => nodesReady(cluster.world, this.nodes.length))
    const ports = await freePorts(net)
    const { service } = PLAN_DETAILS[plan]
    cluster.apply([...whoami({ service, ports }), ...database(WORKERS, ports), ...ingress(undefined, ports)])
    await until(signal, 'pods that are ready', () => podsReady(cluster.world))
    const entries = INGRESS_NODES.map((_, i) => ({ host: net.nodeAddress(i + 1), port: ports.ingress }))
    await until(signal, 'node ports that answer', () => nodePortsAnswer(cluster.plane, entries))
    await onFreePort({ host: HERE, wanted }, async (port) => {
      this.#url = `http://${HERE}:${port}/`
      const config = balancerConfig(net, { port, ingress: ports.ingress })
      const { plane } = cluster
      this.#balancer = await openBalancer({ kind: balancer, env, net, plane, folder }, config, signal)
    })
    const { socket } = this.#balancer ?? { socket: '' }
    await until(signal, "the balancer's checks to pass", () => allChecked(socket))
    await writeFile(this.rollFile, rollFileText({ socket, url: this.#url, powerSocket: cluster.powerSocket, net }))
  }
}

/** The article's ports; another one where something on this machine listens there on every address. */
async function freePorts(net: LoopbackNet): Promise<ArticlePorts> {
  const app = await net.freePort(ARTICLE_PORTS.app)
  const whoami = await net.freePort(ARTICLE_PORTS.whoami, [app])
  return { app, whoami, ingress: await net.freePort(ARTICLE_PORTS.ingress, [app, whoami]) }
}

/** As the article has it: `inter 2s fall 3 rise 2`, no redispatch. */
const balancerConfig = (
  net: LoopbackNet,
  { port, ingress }: { readonly port: number; readonly ingress: number },
): BalancerConfig => ({
  host: HERE,
  frontends: [{ name: 'front-web', port, backend: 'web' }],
  backends: [
    {
      name: 'web',
      servers: INGRESS_NODES.map((name, i) => ({ name, address: net.nodeAddress(i + 1), port: ingress })),
      check: { path: '/healthz', interMs: 2_000, fall: 3, rise: 2 },
    },
  ],
  connectTimeoutMs: 1_000,
  clientTimeoutMs: 30_000,
  serverTimeoutMs: 10_000,
})
