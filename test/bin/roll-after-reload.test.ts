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
  const { log, ended } = await rolling(ground)
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
