import assert from 'node:assert/strict'
import { test } from 'node:test'
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
const serversNamed = (...names: readonly string[]): BackendConfig['servers'] =>
  names.map((name) => ({ name, address: name, port: 8080 }))

/** A balancer before servers that answer at once, in virtual time. */
class BalancerBed {
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

const CHECK = { path: '/readyz', interMs: 2_000, fall: 3, rise: 2 }
const OK = { status: 200, body: 'n1' }

test('first checks are spread over the interval, and each server keeps its beat', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1', 'n2', 'n3', 'n4'), check: CHECK })
  await bed.time.advance(3_100)
  assert.deepEqual(bed.checks, ['n1 0', 'n2 500', 'n3 1000', 'n4 1500', 'n1 2000', 'n2 2500', 'n3 3000'])
})

test('weights are kept among servers in service, and weight 0 takes nothing', async () => {
  const servers = serversNamed('n1', 'n2', 'n3').map((server, i) => ({ ...server, weight: [3, 1, 0][i] ?? 1 }))
  const bed = new BalancerBed({ name: 'web', servers })
  const client = await bed.dial()
  for (let i = 0; i < 8; i += 1) await bed.ask(client)
  assert.deepEqual(bed.served, ['n1', 'n1', 'n2', 'n1', 'n1', 'n1', 'n2', 'n1'])
})

test('a machine that lost its power is out after the limits of three checks, and costs what was sent to it meanwhile', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1'), check: CHECK })
  await bed.time.advance(100)
  const known = await bed.dial()
  assert.deepEqual(await bed.ask(known), OK)
  bed.network.setPower('n1', false)
  const overPooled = bed.ask(known, 10_100)
  assert.deepEqual(await overPooled, { status: 504, body: '' })
  assert.deepEqual(bed.cells('n1', 'status', 'check_status', 'stot'), ['UP 1/3', '* L4TOUT', '2'])
  await bed.time.advance(2_000)
  assert.deepEqual(bed.cells('n1', 'status', 'chkfail', 'chkdown'), ['DOWN', '3', '1'])
})

test('a new connection to a silent machine is tried four times, a second each', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1') })
  bed.network.setPower('n1', false)
  const client = await bed.dial()
  assert.equal(await bed.ask(client, 3_900), undefined)
  assert.deepEqual(bed.cells('n1', 'stot', 'wretr', 'scur'), ['4', '3', '1'])
  await bed.time.advance(200)
  assert.deepEqual(bed.cells('n1', 'stot', 'wretr', 'econ', 'scur'), ['4', '3', '1', '0'])
})

test('a machine that booted again resets the connection that was pooled before, and the client is left without an answer', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1') })
  const client = await bed.dial()
  await bed.ask(client)
  bed.network.setPower('n1', false)
  bed.network.setPower('n1', true)
  bed.serve('n1')
  assert.equal(await bed.ask(client), 'broken')
  assert.equal(client.isOpen, false)
  assert.deepEqual(await bed.ask(await bed.dial()), OK)
})

test('what is sent to a server that is out is a stray; drain by itself makes none', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1', 'n2') })
  bed.answer('set server web/n2 state drain')
  const client = await bed.dial()
  for (let i = 0; i < 4; i += 1) await bed.ask(client)
  assert.deepEqual(bed.balancer.tally(), [
    { backend: 'web', server: 'n1', sessions: 4, strays: 0 },
    { backend: 'web', server: 'n2', sessions: 0, strays: 0 },
  ])
  bed.network.setPower('n1', false)
  await bed.ask(await bed.dial(), 100)
  bed.answer('set server web/n1 state maint')
  await bed.time.advance(4_000)
  assert.deepEqual(bed.balancer.tally()[0], { backend: 'web', server: 'n1', sessions: 8, strays: 3 })
})

test('a pool that no client needs shrinks by itself, by some connections every five seconds', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1') })
  const clients = await Promise.all([bed.dial(), bed.dial(), bed.dial(), bed.dial()])
  await Promise.all(clients.map((client) => bed.ask(client)))
  bed.answer('set server web/n1 state drain')
  assert.deepEqual(bed.cells('n1', 'srv_icur'), ['4'])
  await bed.time.advance(60_000)
  const [left] = bed.cells('n1', 'srv_icur')
  assert.ok(Number(left) < 4, `${left} are left`)
})

test('the last connection of a pool that no client needs goes too', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1') })
  await bed.ask(await bed.dial())
  assert.deepEqual(bed.cells('n1', 'srv_icur'), ['1'])
  await bed.time.advance(16_000)
  assert.deepEqual(bed.cells('n1', 'srv_icur'), ['0'])
})

test('each reload has another process id; the one before is gone once its clients are', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1') })
  assert.match(bed.answer('show info'), /^Pid: 100$/m)
  await bed.dial()
  bed.balancer.reload()
  assert.match(bed.answer('show info'), /^Pid: 101$/m)
  assert.equal(bed.balancer.retiredProcesses, 0)
})

test('with `idle-close-on-response` a reload leaves idle clients their next answer, by the states of the old process', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1', 'n2') }, { idleCloseOnResponse: true })
  const client = await bed.dial()
  bed.answer('set server web/n1 state drain')
  bed.balancer.reload()
  bed.answer('set server web/n2 state drain')
  assert.equal(bed.balancer.retiredProcesses, 1)
  assert.deepEqual(await bed.ask(client), { status: 200, body: 'n2', closes: true })
  assert.equal(client.isOpen, false)
  assert.equal(bed.balancer.retiredProcesses, 0)
})

test('a client that asks nothing is let go at its limit', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1') }, { clientTimeoutMs: 1_000 })
  const client = await bed.dial()
  await bed.time.advance(900)
  assert.equal(client.isOpen, true)
  await bed.time.advance(200)
  assert.equal(client.isOpen, false)
})

test('once stopped it leaves nothing that is due', async () => {
  const bed = new BalancerBed({ name: 'web', servers: serversNamed('n1', 'n2'), check: CHECK })
  const client = await bed.dial()
  await bed.ask(client)
  bed.balancer.stop()
  await bed.time.advance(10)
  assert.equal(client.isOpen, false)
  assert.equal(bed.time.pending, 0)
})
