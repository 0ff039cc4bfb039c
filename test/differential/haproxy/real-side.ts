import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { haproxySections } from '../../../src/sim/loopback/haproxy-config.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { LoopbackClient } from '../../support/balancer-side/loopback-client.ts'
import { LoopbackOrigin } from '../../support/balancer-side/loopback-origin.ts'
import { ephemeralPorts } from '../../support/ephemeral-port.ts'
import { LocalHaproxy } from '../../support/local-haproxy.ts'
import { configIn, type DrawnBalancer } from './drawn-balancer.ts'
import { type Answered, type Side, sent } from './side.ts'

/** What connects to others on loopback does so from 127.0.0.1, and takes no port of this address. */
const FRONT_HOST = '127.0.0.2'

/** A server with its agent, on loopback. */
interface Machine {
  readonly origin: LoopbackOrigin
  readonly agentPort: number
}

/** The place of `srv_time_since_last_change` (management.txt 9.3, `show servers state`). */
const SINCE = 9

/** HAProxy itself, and servers on loopback. */
export class RealSide implements Side {
  readonly #haproxy: LocalHaproxy
  readonly #machines: ReadonlyMap<string, Machine>
  readonly #agents: Map<string, string>
  readonly #ports: ReadonlyMap<string, number>
  readonly #slowestS: number
  readonly #held: { ended: string | undefined; readonly client: LoopbackClient | undefined }[] = []

  private constructor(parts: {
    haproxy: LocalHaproxy
    machines: ReadonlyMap<string, Machine>
    agents: Map<string, string>
    ports: ReadonlyMap<string, number>
    /** The longest slow start. */
    slowestS: number
  }) {
    this.#haproxy = parts.haproxy
    this.#machines = parts.machines
    this.#agents = parts.agents
    this.#ports = parts.ports
    this.#slowestS = parts.slowestS
  }

  static async start(t: TestContext, drawn: DrawnBalancer): Promise<RealSide> {
    const agents = new Map<string, string>()
    const machines = new Map<string, Machine>()
    for (const name of drawn.servers) {
      const agentPort = await agentOn(t, () => agents.get(name) ?? 'up')
      machines.set(name, { origin: await LoopbackOrigin.start(t), agentPort })
    }
    const ports = new Map<string, number>()
    const free = await ephemeralPorts(drawn.backends.length, FRONT_HOST)
    for (const [at, { name }] of drawn.backends.entries()) ports.set(name, free[at] ?? 0)
    const config = configIn(drawn, {
      host: FRONT_HOST,
      frontPort: (backend) => ports.get(backend) ?? 0,
      server: (name) => {
        const { origin, agentPort } = machines.get(name) ?? {}
        return { address: '127.0.0.1', port: origin?.port ?? 0, agentPort: agentPort ?? 0 }
      },
    })
    const keeping = '  mode http\n  load-server-state-from-file global\n'
    const haproxy = await LocalHaproxy.start(t, {
      global: (directory) => `  server-state-file ${join(directory, 'states')}`,
      sections: () => haproxySections(config).replace('  mode http\n', keeping),
    })
    const slowStartsS = drawn.backends.flatMap(({ servers }) =>
      servers.map(({ slowStartMs = 0 }) => slowStartMs / 1_000),
    )
    const side = new RealSide({ haproxy, machines, agents, ports, slowestS: Math.max(0, ...slowStartsS) })
    t.after(() => side.#close())
    return side
  }

  command(line: string): Promise<string> {
    return this.#haproxy.command(line)
  }

  sayHealth(server: string, to: number | 'hang' | 'break'): void {
    this.#machines.get(server)?.origin.sayHealth(to)
  }

  sayAgent(server: string, line: string): void {
    this.#agents.set(server, line)
  }

  async ask(backend: string, cookie?: string): Promise<Answered> {
    const client = await this.#dial(backend)
    if (client === undefined) return { from: undefined, status: 'refused', cookie: undefined }
    const before = this.#counts()
    const answer = await client.begin('/', sent(cookie)).answer()
    client.close()
    const from = [...this.#machines.keys()].find((_, at) => this.#counts()[at] !== before[at])
    return answer === 'closed'
      ? { from, status: 'closed', cookie: undefined }
      : { from, status: answer.status, cookie: answer.cookie }
  }

  async hold(backend: string, cookie?: string): Promise<void> {
    const client = await this.#dial(backend)
    const held: { ended: string | undefined; client: typeof client } = { client, ended: undefined }
    this.#held.push(held)
    if (client === undefined) held.ended = 'refused'
    const answer = client?.begin('/hold', sent(cookie)).answer()
    void answer?.then((end) => {
      held.ended = end === 'closed' ? 'closed' : String(end.status)
    })
  }

  release(): void {
    for (const { origin } of this.#machines.values()) origin.release()
  }

  held(): ReturnType<Side['held']> {
    return {
      ended: this.#held.flatMap(({ ended }) => (ended === undefined ? [] : [ended])),
      waiting: [...this.#machines.values()].map(({ origin }) => origin.waiting),
    }
  }

  async reload({ keepsStates }: { readonly keepsStates: boolean }): Promise<void> {
    const states = keepsStates ? await this.#states() : ''
    await writeFile(join(this.#haproxy.directory, 'states'), states)
    await this.#haproxy.reload()
  }

  /** By a state file a server warms up anew if its last change is younger than its slow start. In the other world it is always older. */
  async #states(): Promise<string> {
    return await waitFor({ what: 'the last change to be old enough', limitMs: 10_000, everyMs: 50 }, async () => {
      const states = await this.command('show servers state')
      const sinceS = states
        .split('\n')
        .flatMap((line) => (/^\d+ \S/.test(line) ? [Number(line.split(' ')[SINCE])] : []))
      return sinceS.every((seconds) => seconds >= this.#slowestS) ? states : undefined
    })
  }

  #counts(): readonly number[] {
    return [...this.#machines.values()].map(({ origin }) => origin.requests)
  }

  async #dial(backend: string): Promise<LoopbackClient | undefined> {
    const open = LoopbackClient.open({ host: FRONT_HOST, port: this.#ports.get(backend) ?? 0 })
    return open.catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return undefined
      throw error
    })
  }

  #close(): void {
    for (const { client } of this.#held) client?.close()
  }
}

/** Its port. */
async function agentOn(t: TestContext, line: () => string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).end(`${line()}\n`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}
