import { wallMs } from '../../../src/ground/model/time.ts'
import type { BackendConfig, BalancerConfig } from '../../../src/sim/balancer/balancer-config.ts'
import { VirtualBalancer } from '../../../src/sim/balancer/virtual-balancer.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import type { Accepted, Connection, NetworkReply } from '../../../src/sim/network/network.ts'
import { VirtualNetwork } from '../../../src/sim/network/virtual-network.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

type Heard = NetworkReply | 'broken'

/** `n1`, `n2`, … at port 8080 of hosts of that name. */
export const serversNamed = (...names: readonly string[]): BackendConfig['servers'] =>
  names.map((name) => ({ name, address: name, port: 8080 }))

/** A balancer before servers that answer at once, in virtual time. */
export class BalancerBed {
  readonly time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  readonly network: VirtualNetwork
  readonly balancer: VirtualBalancer
  /** When each server was checked, in ms: `n1 0`. */
  readonly checks: string[] = []
  /** Which server answered, request by request. */
  readonly served: string[] = []

  constructor(backend: BackendConfig, more: Partial<BalancerConfig> = {}) {
    this.network = new VirtualNetwork({ timers: this.time, random: new SeededRandom('bed') })
    for (const host of ['lb', 'client', ...backend.servers.map(({ address }) => address)]) this.network.addHost(host)
    for (const { address } of backend.servers) this.serve(address)
    this.balancer = new VirtualBalancer({
      network: this.network.from('lb'),
      timers: this.time,
      clock: this.time,
      firstPid: 100,
      config: {
        host: 'lb',
        frontends: [{ name: 'front', port: 80, backend: backend.name }],
        backends: [backend],
        connectTimeoutMs: 1_000,
        clientTimeoutMs: 30_000,
        serverTimeoutMs: 10_000,
        ...more,
      },
    })
  }

  /** Its server begins to listen. */
  serve(host: string): void {
    this.network.listen({ host, port: 8080 }, { accept: () => this.#accept(host) })
  }

  async dial(): Promise<Connection> {
    const opened: Connection[] = []
    this.network.from('client').dial({ host: 'lb', port: 80 }, (dialled) => {
      if (dialled.kind === 'open') opened.push(dialled.connection)
    })
    await this.time.advance(5)
    const [connection] = opened
    if (connection === undefined) throw new Error('the frontend does not answer')
    return connection
  }

  /** What is heard within that time; nothing where it is not over then. */
  async ask(connection: Connection, withinMs = 20): Promise<Heard | undefined> {
    let heard: Heard | undefined
    connection.send({ path: '/' }, (answer) => {
      heard = answer
    })
    await this.time.advance(withinMs)
    return heard
  }

  answer(command: string): string {
    return this.balancer.answer(command)
  }

  /** Cells of `show stat` of one server. */
  cells(server: string, ...columns: readonly string[]): readonly string[] {
    const [header = '', ...rows] = this.answer('show stat -1 4 -1').trim().split('\n')
    const names = header.replace('# ', '').split(',')
    const row = rows.map((text) => text.split(',')).find((cells) => cells[1] === server) ?? []
    return columns.map((column) => row[names.indexOf(column)] ?? '')
  }

  #accept(host: string): Accepted {
    return {
      bind: () => undefined,
      closed: () => undefined,
      request: ({ path }, reply) => {
        if (path === '/readyz') this.checks.push(`${host} ${Math.round(this.time.monoMs() / 100) * 100}`)
        else this.served.push(host)
        reply({ status: 200, body: host })
      },
    }
  }
}
