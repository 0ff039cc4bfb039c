import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, get, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { nodesReady } from '../../bin/demo/settling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { requires } from '../support/requires.ts'
import { EventLog } from '../support/roll-ground/event-log.ts'
import { start } from './evenkeel-process.ts'

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))
const NODES = ['n1', 'n2']
const PORT = 30_088

/** The service of one node: it answers a request when it is released. */
class SlowService {
  readonly #waiting: ServerResponse[] = []

  static async start(t: TestContext, host: string): Promise<SlowService> {
    const service = new SlowService()
    const server = createServer((_, response) => void service.#waiting.push(response))
    server.listen(PORT, host)
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    return service
  }

  get waiting(): number {
    return this.#waiting.length
  }

  release(): void {
    for (const response of this.#waiting.splice(0)) response.end('at last')
  }
}

async function aGround(t: TestContext, { darkMs = 200 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-reload-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: NODES.map((name) => ({ name })) })
  t.after(async () => {
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, NODES.length) || undefined)
  const addresses = NODES.map((_, i) => net.nodeAddress(i + 1))
  const services = await Promise.all(addresses.map((address) => SlowService.start(t, address)))
  /** In the order of the nodes. */
  const config = (names: readonly string[]) => {
    const servers = names.map((name, i) => `  server ${name} ${addresses[i]}:${PORT}\n`).join('')
    return {
      kind: 'master and worker',
      master: true,
      sections: (directory: string) =>
        `frontend front\n  bind unix@${directory}/front.sock\n  default_backend web\nbackend web\n${servers}`,
    } as const
  }
  const haproxy = await LocalHaproxy.start(t, config(NODES))
  return { cluster, folder, haproxy, services, config, addresses }
}

/** A request that HAProxy has given to some server. */
function ask(haproxy: LocalHaproxy): Promise<number | string> {
  return new Promise((resolve) => {
    get({ socketPath: join(haproxy.directory, 'front.sock'), path: '/', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', (error) => resolve(error.message))
  })
}

async function rolling(t: TestContext, { cluster, folder, haproxy }: Awaited<ReturnType<typeof aGround>>) {
  const instance = { name: 'lb-1', socket: haproxy.socket, masterSocket: join(haproxy.directory, 'master.sock') }
  const spec = {
    nodes: { names: ['n1'] },
    balancers: [{ name: 'edge', instances: [instance], backends: ['web'] }],
    reboot: {
      command: [process.execPath, REBOOT, cluster.powerSocket, '{node}', '{bootId}'],
      resendAfter: '20s',
      returnLimit: '60s',
    },
    dns: { check: false },
    settle: { dataPort: false, timesInARow: 1 },
    soak: '0s',
  }
  const path = join(folder, 'roll.yaml')
  await writeFile(
    path,
    stringify({ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'reload' }, spec }),
  )
  const words = ['roll', '-f', path, '--kubeconfig', cluster.kubeconfig, '--yes', '--no-probe', '-o', 'jsonl']
  const child = start([...words, '--state-dir', join(folder, 'state')])
  t.after(() => child.kill('SIGKILL'))
  assert.ok(child.stdout !== null)
  const log = new EventLog()
  createInterface(child.stdout).on(
    'line',
    (line) => line.startsWith('{"') && log.take(JSON.parse(line) as StampedEvent),
  )
  return { ended: once(child, 'close') as Promise<[number | null]>, log }
}

/** What reads a HAProxy, the roll and this test, connects to it each time. */
async function isReadAgain(haproxy: LocalHaproxy): Promise<void> {
  const count = async () => Number(/^CumConns: (\d+)$/m.exec(await haproxy.command('show info'))?.[1])
  const from = await count()
  const wait = { what: 'the roll to read HAProxy', limitMs: 30_000, everyMs: 250 }
  await waitFor(wait, async () => ((await count()) - from > 40 ? true : undefined))
}

test('a roll waits for requests from before a reload, and for the clients of that process', {
  ...requires('haproxy'),
  timeout: 120_000,
}, async (t) => {
  const ground = await aGround(t)
  const { cluster, haproxy, services } = ground
  const [n1, n2] = services
  assert.ok(n1 !== undefined && n2 !== undefined)
  const answers = [ask(haproxy), ask(haproxy)]
  const areThere = () => (n1.waiting === 1 && n2.waiting === 1) || undefined
  await waitFor({ what: 'a request at each node', limitMs: 10_000 }, areThere)
  await haproxy.reload()
  const before = cluster.machines.get('n1')?.boots ?? 0
  const { log, ended } = await rolling(t, ground)
  const isDetached = () => log.events.some((event) => event.type === 'step.ended' && event.step === 'detach')
  await log.first((event) => event.type === 'write' && event.action === 'setServer')
  await isReadAgain(haproxy)
  assert.equal(isDetached(), false)
  n1.release()
  await isReadAgain(haproxy)
  assert.equal(isDetached(), false)
  n2.release()
  assert.deepEqual(await Promise.all(answers), [200, 200])
  const [code] = await ended
  assert.equal(code, 0, JSON.stringify(log.events.slice(-5)))
  assert.equal(cluster.machines.get('n1')?.boots, before + 1)
})

/** Server → its address and whether it is out, as `show servers state` has it. */
async function serversOf(haproxy: LocalHaproxy): Promise<readonly string[]> {
  const [, , ...lines] = (await haproxy.command('show servers state web')).split('\n')
  const rows = lines.map((line) => line.split(' ')).filter((row) => row.length > 6)
  return rows.map(([, , , name, address, , admin]) => `${name} ${address} ${admin === '0' ? 'ready' : 'out'}`)
}

test('a server is kept out by its address, whatever a reload calls it in any step, and put back under its last name', {
  ...requires('haproxy'),
  timeout: 120_000,
}, async (t) => {
  const ground = await aGround(t, { darkMs: 4_000 })
  const { haproxy, config, addresses } = ground
  const [n1] = addresses
  const { log, ended } = await rolling(t, ground)
  for (const [step, names] of [
    ['detach', ['n2', 'n1']],
    ['drain', ['s1', 's2']],
    ['reboot', ['s2', 's1']],
  ] as const) {
    await log.first((event) => event.type === 'step.started' && event.step === step)
    await haproxy.reload(config(names))
    const isOut = async () => (await serversOf(haproxy)).includes(`${names[0]} ${n1} out`) || undefined
    await waitFor({ what: `${names[0]} to be out in ${step}`, limitMs: 3_000, everyMs: 20 }, isOut)
  }
  const [code] = await ended
  assert.equal(code, 0, JSON.stringify(log.events.slice(-5)))
  assert.deepEqual(
    await serversOf(haproxy),
    addresses.map((address, i) => `s${2 - i} ${address} ready`),
  )
})

test('a slot that gets the address of a machine that is off is taken out, and the state stays with the slot that had it', {
  ...requires('haproxy'),
  timeout: 120_000,
}, async (t) => {
  const ground = await aGround(t, { darkMs: 4_000 })
  const { haproxy, addresses } = ground
  const [n1, n2] = addresses
  const { log, ended } = await rolling(t, ground)
  await log.first((event) => event.type === 'write' && event.action === 'sendReboot')
  await haproxy.command(`set server web/n1 addr ${n2} port ${PORT}; set server web/n2 addr ${n1} port ${PORT}`)
  const isOut = async () => (await serversOf(haproxy)).includes(`n2 ${n1} out`) || undefined
  await waitFor({ what: 'n2 to be out', limitMs: 3_000, everyMs: 20 }, isOut)
  assert.deepEqual(await serversOf(haproxy), [`n1 ${n2} out`, `n2 ${n1} out`])
  await log.first((event) => event.type === 'hold.started' && JSON.stringify(event).includes('ServerLedElsewhere'))
  await haproxy.command('set server web/n1 state ready')
  const [code] = await ended
  assert.equal(code, 0, JSON.stringify(log.events.slice(-5)))
  assert.deepEqual(await serversOf(haproxy), [`n1 ${n2} ready`, `n2 ${n1} ready`])
})
