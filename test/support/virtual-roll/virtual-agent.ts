import { kubeNodeFeed } from '../../../src/agent/io/kube-node-feed.ts'
import type { AgentStore } from '../../../src/agent/ports/agent-store.ts'
import type { NodeFeed } from '../../../src/agent/ports/node-feed.ts'
import { Agent } from '../../../src/agent/run/agent.ts'
import { dataPages } from '../../../src/agent/run/data-pages.ts'
import { statusPages } from '../../../src/agent/run/status-pages.ts'
import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import type { Connection } from '../../../src/ground/kube/connection.ts'
import { steadyClock } from '../../../src/ground/loop/steady-clock.ts'
import type { Page, PageOf } from '../../../src/ground/ports/http-door.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { inProcessApi } from '../../../src/sim/doors/in-process-api.ts'
import { networkDataPort } from '../../../src/sim/doors/network-data-port.ts'
import type { Accepted, NetworkReply } from '../../../src/sim/network/network.ts'
import { Lifeline } from './lifeline.ts'

export const AGENT_PORT = 8_080
export const AGENT_STATUS_PORT = 8_081

interface VirtualAgentParts {
  readonly cluster: VirtualCluster
  readonly node: string
  readonly address: string
  readonly dataPort: number
  readonly bootId: string
  readonly store: AgentStore
  /** Open connections to the data port; undefined where the agent cannot see them. */
  readonly connections: () => number | undefined
  /** How long each of its pages takes; undefined: it says nothing at all, as a process that is stopped. */
  readonly answersAfterMs: () => number | undefined
}

const API_LATENCY_MS = 3
const QUIET = { debug: () => undefined, warn: () => undefined }
const DATA_EVERY_MS = 200
/** What the API was not asked yet is waited for this long before checks are answered. */
const FIRST_ANSWER_MS = 2_000

/** The agent of one node as one process has it: it ends with its lifeline, and leaves its files behind. */
export class VirtualAgent {
  readonly #parts: VirtualAgentParts
  readonly #lifeline = new Lifeline()
  readonly #unlisten: (() => void)[] = []

  constructor(parts: VirtualAgentParts) {
    this.#parts = parts
    this.#lifeline.guard(() => this.#run()).catch(() => undefined)
  }

  /** As by `kill -9`, or with its machine. */
  kill(): void {
    for (const end of this.#unlisten.splice(0)) end()
    this.#lifeline.cut()
  }

  async #run(): Promise<void> {
    const { cluster, node, address, dataPort, bootId, store, connections } = this.#parts
    const { time, network } = cluster
    const lifeline = this.#lifeline
    const clock = steadyClock({
      monoMs: () => time.monoMs(),
      wallMs: () => time.wallMs(),
      asleepMs: () => time.asleepMs(),
      sleep: (ms, signal) => lifeline.guard(() => time.sleep(ms, signal)),
    })
    const asked = networkDataPort({ network: network.from(address), timers: time })
    const agent = new Agent({
      node,
      spec: { cordonGraceMs: 0, upDelayMs: 0, hasDataPort: true },
      checkers: { checkers: {}, intervalMs: 1_000 },
      feed: this.#feed(clock),
      store,
      bootId,
      clock,
      log: QUIET,
      dataPort: {
        dataPort: { answers: (at, signal) => lifeline.guard(() => asked.answers(at, signal)) },
        at: { address, port: dataPort },
        everyMs: DATA_EVERY_MS,
        limitMs: DATA_EVERY_MS,
        fall: 3,
        rise: 1,
      },
    })
    const { ended: stop } = lifeline
    await agent.begin(stop)
    const running = agent.run(stop)
    running.catch(() => undefined)
    await agent.takeOver(stop)
    const view = agent.status.bind(agent)
    this.#open(
      AGENT_STATUS_PORT,
      statusPages({ status: view, connections: async () => connections(), isOpen: () => true }),
    )
    await agent.known(FIRST_ANSWER_MS, stop)
    this.#open(AGENT_PORT, dataPages({ node, dialect: 'plain', answerTo: agent.asked.bind(agent) }))
    await running
  }

  #feed(clock: ReturnType<typeof steadyClock>): NodeFeed {
    const { cluster, node } = this.#parts
    const { world, time, apiServer, random: chance } = cluster
    const api = inProcessApi({
      world,
      timers: time,
      latencyMs: API_LATENCY_MS,
      passageOf: () => (apiServer.life === undefined ? { kind: 'refused' } : { kind: 'passes', life: apiServer.life }),
    })
    const connection = { server: new URL('http://embedded') } as unknown as Connection
    const credentials = { current: () => Promise.resolve(connection), accept: () => undefined, drop: () => undefined }
    const random = chance.fork(`agent of ${node} at ${time.monoMs()}`)
    const client = new ApiClient({
      credentials,
      clock,
      userAgent: 'evenkeel-agent',
      exchange: (to, request, signal) =>
        this.#lifeline.guard(() => api(to, request, AbortSignal.any([signal, this.#lifeline.ended]))),
    })
    return kubeNodeFeed({ client, reach: new ApiReach(clock), clock, random, log: QUIET }, node)
  }

  #open(port: number, pageOf: PageOf): void {
    if (this.#lifeline.isDead) return
    const { cluster, address: host } = this.#parts
    this.#unlisten.push(cluster.network.listen({ host, port }, { accept: (from) => this.#accept(from, pageOf) }))
  }

  #accept(from: string, pageOf: PageOf): Accepted {
    const caller = { address: from === '' ? '192.0.2.9' : from, port: 1_024 }
    return {
      bind: () => undefined,
      closed: () => undefined,
      request: ({ path }, reply) => {
        const afterMs = this.#parts.answersAfterMs()
        if (afterMs === undefined) return
        this.#parts.cluster.time.later(afterMs, () => {
          if (!this.#lifeline.isDead) void this.#answer(pageOf({ method: 'GET', target: path, caller }), reply)
        })
      },
    }
  }

  async #answer(page: Page | Promise<Page>, reply: (reply: NetworkReply) => void): Promise<void> {
    const { status, body } = await page
    if (!this.#lifeline.isDead) reply({ status, body, closes: true })
  }
}
