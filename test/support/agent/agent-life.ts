import type { TestContext } from 'node:test'
import type { AgentSpec } from '../../../src/agent/decide/snapshot.ts'
import type { NodeFeed } from '../../../src/agent/ports/node-feed.ts'
import { Agent } from '../../../src/agent/run/agent.ts'
import type { NodeReading } from '../../../src/ground/model/node-reading.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { someFacts } from '../agent-world.ts'
import { VirtualClock } from '../virtual-clock.ts'
import { MemoryAgentStore } from './memory-agent-store.ts'
import type { ToldGrantsFeed } from './told-grants-feed.ts'

/** An API server that tells each follower what a test says. A new follower is told the last of it. */
class ToldFeed implements NodeFeed {
  readonly #sinks = new Set<(event: FollowEvent<NodeReading>) => void>()
  #last: FollowEvent<NodeReading> | undefined

  node(change: Partial<NodeReading> = {}): void {
    this.#last = { type: 'listed', objects: [someFacts(change)] }
    this.#tell(this.#last)
  }

  noNode(): void {
    this.#last = { type: 'listed', objects: [] }
    this.#tell(this.#last)
  }

  /** From now on nothing is heard, by newcomers either. */
  away(): void {
    this.#last = undefined
    const error = new WorldError('nobody answers', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
    this.#tell({ type: 'broken', error, retryInMs: 1_000 })
  }

  follow(sink: (event: FollowEvent<NodeReading>) => void, signal: AbortSignal): Promise<void> {
    this.#sinks.add(sink)
    if (this.#last !== undefined) sink(this.#last)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.#sinks.delete(sink)
        reject(signal.reason)
      })
    })
  }

  #tell(event: FollowEvent<NodeReading>): void {
    for (const sink of this.#sinks) sink(event)
  }
}

const BOOT = '11111111-1111-4111-8111-111111111111'
const NEXT_BOOT = '22222222-2222-4222-8222-222222222222'
const OVER = new Error('the test is over')

/** One node's agent, process after process, in time that passes when told. */
export class AgentLife {
  readonly clock: VirtualClock
  readonly store: MemoryAgentStore
  readonly feed = new ToldFeed()
  /** The feed of granted cordons; absent where the agent asks for none. */
  readonly grants: ToldGrantsFeed | undefined
  readonly said: string[] = []
  readonly #spec: AgentSpec
  #bootId = BOOT
  #agent: Agent | undefined
  #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()

  /** `beside`: another one of the same node. */
  constructor(t: TestContext, spec: Partial<AgentSpec> = {}, grants?: ToldGrantsFeed, beside?: AgentLife) {
    this.clock = beside?.clock ?? new VirtualClock()
    this.store = beside?.store ?? new MemoryAgentStore()
    this.grants = grants
    this.#spec = { cordonGraceMs: 0, upDelayMs: 0, hasDataPort: false, ...spec }
    t.after(() => this.kill())
  }

  get agent(): Agent {
    if (this.#agent === undefined) throw new Error('no agent runs')
    return this.#agent
  }

  /** The answer, and the codes of its reasons. */
  get now(): string {
    const { answer, reasons } = this.agent.status().decision
    return [answer, ...reasons.map(({ code }) => code)].join(' ')
  }

  /** A process that checkers ask, unless it has to wait beside another. */
  async start({ isBeside = false } = {}): Promise<this> {
    const warn = (text: string): number => this.said.push(text)
    this.#stop = new AbortController()
    this.#agent = new Agent({
      node: 'n1',
      spec: this.#spec,
      checkers: { checkers: { '10.0.0.9': 1 }, intervalMs: 1_000 },
      feed: this.feed,
      ...(this.grants === undefined ? {} : { grants: this.grants }),
      store: this.store,
      bootId: this.#bootId,
      clock: this.clock,
      log: { debug: () => undefined, warn },
    })
    await this.#agent.begin(this.#stop.signal)
    if (!isBeside) await this.#agent.takeOver(this.#stop.signal)
    this.#running = this.#agent.run(this.#stop.signal)
    this.#running.catch(() => undefined)
    await this.clock.advance(0)
    return this
  }

  /** It has waited long enough. */
  takeOver(): Promise<void> {
    return this.agent.takeOver(this.#stop.signal)
  }

  /** Nothing is written on the way. */
  async kill(): Promise<void> {
    this.#stop.abort(OVER)
    await this.#running.catch((error: unknown) => {
      if (error !== OVER) throw error
    })
  }

  async restart(): Promise<void> {
    await this.kill()
    await this.start()
  }

  async reboot(): Promise<void> {
    await this.kill()
    this.store.reboot()
    this.#bootId = this.#bootId === BOOT ? NEXT_BOOT : BOOT
    await this.start()
  }
}
