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
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemSoon as soon } from '../../src/adapters/node/system-soon.ts'
import { systemTimers as timers } from '../../src/adapters/node/system-timers.ts'
import type { StampedEvent } from '../../src/model/roll-event.ts'
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

async function aGround(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-reload-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs: 200 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: NODES.map((name) => ({ name })) })
  t.after(async () => {
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, NODES.length) || undefined)
  const addresses = NODES.map((_, i) => net.nodeAddress(i + 1))
  const services = await Promise.all(addresses.map((address) => SlowService.start(t, address)))
  const servers = NODES.map((name, i) => `  server ${name} ${addresses[i]}:${PORT}\n`).join('')
  const haproxy = await LocalHaproxy.start(t, {
    kind: 'master and worker',
    master: true,
    sections: (directory) =>
      `frontend front\n  bind unix@${directory}/front.sock\n  default_backend web\nbackend web\n${servers}`,
  })
  return { cluster, folder, haproxy, services }
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

async function rolling({ cluster, folder, haproxy }: Awaited<ReturnType<typeof aGround>>) {
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
  assert.ok(child.stdout !== null)
  const log = new EventLog()
  createInterface(child.stdout).on(
    'line',
    (line) => line.startsWith('{"') && log.take(JSON.parse(line) as StampedEvent),
  )
  const held = (words: string) =>
    log.first(
      (event) =>
        (event.type === 'hold.started' || event.type === 'hold.changed') &&
        event.step === 'detach' &&
        event.reasons.some(({ text }) => text.includes(words)),
    )
  return { held, ended: once(child, 'close') as Promise<[number | null]>, log }
}

test(
  'a roll waits for requests from before a reload, and for the clients of that process',
  requires('haproxy'),
  async (t) => {
    const ground = await aGround(t)
    const { cluster, haproxy, services } = ground
    const [n1, n2] = services
    assert.ok(n1 !== undefined && n2 !== undefined)
    const answers = [ask(haproxy), ask(haproxy)]
    await waitFor(
      { what: 'a request at each node', limitMs: 10_000 },
      () => (n1.waiting === 1 && n2.waiting === 1) || undefined,
    )
    await haproxy.reload()
    const roll = await rolling(ground)
    const boots = () => cluster.machines.get('n1')?.boots
    const before = boots()
    await roll.held('web/n1 on lb-1 has 1 session left, 1 of them in a process from before a reload')
    assert.equal(boots(), before)
    n1.release()
    await roll.held(
      'a process of lb-1 from before a reload has 1 client connection left, and may send their requests to web/n1',
    )
    assert.equal(boots(), before)
    n2.release()
    assert.deepEqual(await Promise.all(answers), [200, 200])
    const [code] = await roll.ended
    assert.equal(code, 0, JSON.stringify(roll.log.events.slice(-5)))
    assert.equal(boots(), (before ?? 0) + 1)
  },
)
