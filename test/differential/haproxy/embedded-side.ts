import { present } from '../../../src/ground/model/present.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { VirtualBalancer } from '../../../src/sim/balancer/virtual-balancer.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import type { Connection } from '../../../src/sim/network/network.ts'
import { VirtualNetwork } from '../../../src/sim/network/virtual-network.ts'
import { agentSaying, clientOn } from '../../support/balancer-side/embedded-client.ts'
import { EmbeddedOrigin } from '../../support/balancer-side/embedded-origin.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'
import { configIn, type DrawnBalancer } from './drawn-balancer.ts'
import { type Answered, type Side, sent } from './side.ts'

const FRONT_PORT = 80
const PORT = 8_080
const AGENT_PORT = 9_000
/** Checks, agents and warm-ups have come to their end. */
const SETTLED_MS = 6_000
const STEP_MS = 1
const LIMIT_MS = 20_000

/** The embedded balancer in a virtual network. */
export class EmbeddedSide implements Side {
  readonly #time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  readonly #network: VirtualNetwork
  readonly #balancer: VirtualBalancer
  readonly #drawn: DrawnBalancer
  readonly #origins = new Map<string, EmbeddedOrigin>()
  readonly #agents = new Map<string, string>()
  readonly #held: { ended: string | undefined }[] = []

  constructor(drawn: DrawnBalancer) {
    this.#drawn = drawn
    this.#network = new VirtualNetwork({ timers: this.#time, random: new SeededRandom('side') })
    for (const host of ['lb', 'client', ...drawn.servers]) this.#network.addHost(host)
    for (const name of drawn.servers) {
      this.#origins.set(name, new EmbeddedOrigin(this.#network, { host: name, port: PORT }))
      const accept = () => agentSaying(() => this.#agents.get(name) ?? 'up')
      this.#network.listen({ host: name, port: AGENT_PORT }, { accept })
    }
    const config = configIn(drawn, {
      host: 'lb',
      frontPort: (backend) => this.#portOf(backend),
      server: (address) => ({ address, port: PORT, agentPort: AGENT_PORT }),
    })
    const network = this.#network.from('lb')
    this.#balancer = new VirtualBalancer({ network, timers: this.#time, clock: this.#time, config, firstPid: 100 })
  }

  stop(): void {
    this.#balancer.stop()
  }

  async command(line: string): Promise<string> {
    return this.#balancer.answer(line)
  }

  sayHealth(server: string, to: number | 'hang' | 'break'): void {
    this.#origins.get(server)?.sayHealth(to)
  }

  sayAgent(server: string, line: string): void {
    this.#agents.set(server, line)
  }

  settle(): Promise<void> {
    return this.#time.advance(SETTLED_MS)
  }

  /** How many requests it takes until each server that may answer has answered; none where they would wait. */
  requestsFor(name: string, cookie: string | undefined): number {
    const backend = this.#balancer.state.backend(name)
    const known = backend?.known(sent(cookie))
    if (known !== undefined) return known.isFull ? 0 : 2
    const usable = backend?.servers.filter((server) => server.isUsable) ?? []
    const active = usable.filter(({ config }) => config.isBackup !== true)
    if (active.length === 0) return usable[0]?.isFull === true ? 0 : 2
    if (backend === undefined || backend.queue.size > 0 || active.every((server) => server.isFull)) return 0
    return 2 + 2 * active.reduce((sum, { weight }) => sum + weight.set, 0)
  }

  /** Whether it is certain which server takes the next request, or that none does. */
  isCertain(name: string, cookie: string | undefined): boolean {
    const backend = this.#balancer.state.backend(name)
    if (backend === undefined || backend.known(sent(cookie)) !== undefined || backend.queue.size > 0)
      return backend !== undefined
    const usable = backend.servers.filter((server) => server.isUsable)
    const active = usable.filter(({ config }) => config.isBackup !== true)
    const withRoom = active.filter((server) => !server.isFull)
    return withRoom.length < 2
  }

  async ask(backend: string, cookie?: string): Promise<Answered> {
    const connection = await this.#dial(backend)
    if (connection === undefined) return { from: undefined, status: 'refused', cookie: undefined }
    const before = this.#counts()
    const client = clientOn(connection, this.#until)
    const answer = await client.begin('/', sent(cookie)).answer()
    client.close()
    const from = this.#drawn.servers.find((_, at) => this.#counts()[at] !== before[at])
    return answer === 'closed'
      ? { from, status: 'closed', cookie: undefined }
      : { from, status: answer.status, cookie: answer.cookie }
  }

  async hold(backend: string, cookie?: string): Promise<void> {
    const connection = await this.#dial(backend)
    const held: { ended: string | undefined } = { ended: connection === undefined ? 'refused' : undefined }
    this.#held.push(held)
    connection?.send({ path: '/hold', ...present({ cookie: sent(cookie) }) }, (reply) => {
      held.ended = reply === 'broken' ? 'closed' : String(reply.status)
    })
  }

  release(): void {
    for (const origin of this.#origins.values()) origin.release()
  }

  held(): ReturnType<Side['held']> {
    return {
      ended: this.#held.flatMap(({ ended }) => (ended === undefined ? [] : [ended])),
      waiting: [...this.#origins.values()].map(({ waiting }) => waiting),
    }
  }

  async reload(options: { readonly keepsStates: boolean }): Promise<void> {
    this.#balancer.reload(options)
  }

  #counts(): readonly number[] {
    return [...this.#origins.values()].map(({ requests }) => requests)
  }

  #portOf(backend: string): number {
    return FRONT_PORT + this.#drawn.backends.findIndex(({ name }) => name === backend)
  }

  async #dial(backend: string): Promise<Connection | undefined> {
    let found: Connection | 'refused' | undefined
    this.#network.from('client').dial({ host: 'lb', port: this.#portOf(backend) }, (dialled) => {
      found = dialled.kind === 'open' ? dialled.connection : 'refused'
    })
    await this.#until('the frontend to answer', () => found !== undefined)
    return found === 'refused' ? undefined : found
  }

  readonly #until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
    const limit = this.#time.monoMs() + LIMIT_MS
    while (!(await holds())) {
      if (this.#time.monoMs() > limit) throw new Error(`waited ${LIMIT_MS} ms for ${what}`)
      await this.#time.advance(STEP_MS)
    }
  }
}
