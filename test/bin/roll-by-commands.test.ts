import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { ARTICLE_NODES, INGRESS_NODES, WORKERS } from '../../bin/demo/article-nodes.ts'
import { freePort } from '../../bin/demo/free-port.ts'
import { nodePortsAnswer, nodesReady, podsReady } from '../../bin/demo/settling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { STEPS } from '../../src/roll/model/step.ts'
import { database, INGRESS_PORT, ingress, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import type { ProxyConfig } from '../support/command-balancer/proxy.ts'
import { isNight } from '../support/roll-bed/at-night.ts'
import { start } from './evenkeel-process.ts'

const PROXY = fileURLToPath(new URL('../support/command-balancer/proxy.ts', import.meta.url))

/** What each command does, as shell in the folder of the balancer; `$1` is the node. Each may be done again. */
const SCRIPTS = {
  detach: ': > "wanted/$1"',
  attach: 'rm -f "wanted/$1"',
  status: 'cat "states/$1" 2>/dev/null || echo \'{"state":"none"}\'',
} as const

interface CommandFront {
  readonly url: string
  /** The section of the roll file. */
  readonly commands: Readonly<Record<string, unknown>>
  /** What the balancer says of that node. */
  readonly status: (node: string) => Promise<string>
  /** From now on that command does this. */
  readonly end: () => void
  readonly script: (name: keyof typeof SCRIPTS, body: string) => Promise<void>
}

/** The balancer as a process, with the scripts that move and ask it. */
async function commandFront(config: ProxyConfig): Promise<CommandFront> {
  const child = spawn(process.execPath, [PROXY, JSON.stringify(config)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const { folder, port, servers } = config
  const script = async (name: string, body: string): Promise<void> => {
    await writeFile(join(folder, name), `#!/bin/sh\ncd '${folder}' || exit 1\n${body}\n`)
    await chmod(join(folder, name), 0o755)
  }
  for (const [name, body] of Object.entries(SCRIPTS)) await script(name, body)
  const words = (name: string): readonly string[] => [join(folder, name), '{node}']
  return {
    url: `http://127.0.0.1:${port}/`,
    commands: {
      detach: words('detach'),
      attach: words('attach'),
      status: words('status'),
      dataPort: servers[0]?.port,
      timeout: '5s',
      interval: '1s',
    },
    status: (node) => readFile(join(folder, 'states', node), 'utf8'),
    script,
    end: () => child.kill('SIGKILL'),
  }
}

/** Requests at a steady pace, each over a connection of its own, until it is ended. */
class SteadyClient {
  sent = 0
  readonly failed: string[] = []
  readonly #timer: NodeJS.Timeout

  constructor(url: string, everyMs: number) {
    this.#timer = setInterval(() => this.#ask(url), everyMs)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #ask(url: string): void {
    this.sent += 1
    get(url, { agent: false, timeout: 20_000 }, (answer) => {
      answer.resume()
      if (answer.statusCode !== 200) this.failed.push(`status ${answer.statusCode}`)
    })
      .on('error', (error) => this.failed.push(error.message))
      .on('timeout', () => this.failed.push('no answer in 20 s'))
  }
}

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))
const LATE_MS = 300

interface Ground {
  readonly cluster: EmbeddedCluster
  readonly folder: string
  readonly front: CommandFront
}

/** The article's cluster, and before its ingress nodes a balancer that nothing but commands can move. */
async function aGround(t: TestContext): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-commands-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs: 1_000 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: ARTICLE_NODES })
  let front: CommandFront | undefined
  t.after(async () => {
    front?.end()
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, 6) || undefined)
  cluster.apply([...whoami({ service: 'improved' }), ...database(WORKERS), ...ingress()])
  await waitFor({ what: 'pods', limitMs: 60_000 }, async () => podsReady(cluster.world) || undefined)
  const servers = INGRESS_NODES.map((name, i) => ({ name, address: net.nodeAddress(i + 1), port: INGRESS_PORT }))
  const entries = servers.map(({ address: host, port }) => ({ host, port }))
  await waitFor(
    { what: 'ports', limitMs: 60_000 },
    async () => (await nodePortsAnswer(cluster.plane, entries)) || undefined,
  )
  const port = await freePort('127.0.0.1', undefined)
  front = await commandFront({ port, folder, lateMs: LATE_MS, servers })
  return { cluster, folder, front }
}

async function rollFile({ cluster, folder, front }: Ground, change: object = {}): Promise<string> {
  const spec = {
    nodes: { names: INGRESS_NODES },
    balancers: [{ name: 'edge', commands: front.commands }],
    // Longer than a busy machine makes a request late: what is left at the limit would be lost with the node.
    detach: { idleLimit: '60s' },
    reboot: {
      command: [process.execPath, REBOOT, cluster.powerSocket, '{node}', '{bootId}'],
      resendAfter: '20s',
      returnLimit: '60s',
    },
    soak: '1s',
    ...change,
  }
  const path = join(folder, 'roll.yaml')
  const file = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'commands' }, spec }
  await writeFile(path, stringify(file))
  return path
}

interface Ran {
  readonly code: number | null
  readonly events: readonly StampedEvent[]
  readonly err: string
}

/** Runs it to its end, or until that of an event, at which it is killed. */
async function evenkeel(
  { cluster, folder }: Ground,
  words: readonly string[],
  kills?: (event: StampedEvent) => boolean,
) {
  const place = ['--kubeconfig', cluster.kubeconfig, '--state-dir', join(folder, 'state')]
  const child = start([...words, ...place, '-o', 'jsonl'])
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  assert.ok(child.stdout !== null && child.stderr !== null)
  const err = text(child.stderr)
  const events: StampedEvent[] = []
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('{"')) continue
    const event = JSON.parse(line) as StampedEvent
    events.push(event)
    if (kills?.(event) === true) child.kill('SIGKILL')
    // A roll that stopped guards the node that it leaves out until it is interrupted.
    if (event.type === 'roll.ended' && event.outcome === 'stopped') child.kill('SIGINT')
  }
  return { code: await closed, events, err: await err } satisfies Ran
}

const boots = ({ cluster }: Ground): readonly (number | undefined)[] =>
  INGRESS_NODES.map((name) => cluster.machines.get(name)?.boots)

const allIn = async ({ front }: Ground): Promise<void> => {
  for (const name of INGRESS_NODES) assert.equal(JSON.parse(await front.status(name)).state, 'in', name)
}

test('nodes behind a balancer that commands move are rebooted without a failed request', async (t) => {
  const ground = await aGround(t)
  const { url } = ground.front
  // A busy machine is late, and loses nothing.
  const probes = [{ name: 'front', url, rate: 20, timeout: '20s' }]
  const file = await rollFile(ground, { baseline: { duration: '1s' }, probes })
  const { code, events, err } = await evenkeel(ground, ['roll', '-f', file, '--yes'])
  const end = events.findLast((event) => event.type === 'roll.ended')
  assert.deepEqual([code, end?.outcome, end?.load?.failed, end?.load?.strays], [0, 'completed', 0, 0], err)
  assert.deepEqual(boots(ground), [2, 2, 2])
  await allIn(ground)
  for (const name of INGRESS_NODES) {
    const at = (is: (event: StampedEvent) => boolean): number =>
      events.findIndex((event) => 'node' in event && event.node === name && is(event))
    const set = at((event) => event.type === 'write' && event.action === 'setServer')
    const idle = at((event) => event.type === 'idle' && event.by === 'connections' && event.left === 0)
    const announced = at((event) => event.type === 'write' && event.action === 'writeIntent')
    assert.ok(set >= 0 && set < idle && idle < announced, `${name}: ${set} ${idle} ${announced}`)
  }
})

/** Each step, and once each of the two moves was made; by day those between which something is out of service. */
const KILLED_AT = isNight ? [...STEPS, 'told drain', 'told ready'] : ['detach', 'told drain', 'reboot', 'told ready']

const killPoints = (event: StampedEvent): string | undefined => {
  if (event.type === 'step.started') return event.step
  return event.type === 'write' && event.action === 'setServer' ? event.text.replace(/^.* /, 'told ') : undefined
}

test('killed with SIGKILL in each step, a roll by commands goes on each time and loses no request', async (t) => {
  const ground = await aGround(t)
  const client = new SteadyClient(ground.front.url, 25)
  t.after(() => client.end())
  const [first = ''] = INGRESS_NODES
  const file = await rollFile(ground, { nodes: { names: [first] }, dns: { check: false } })
  const killed = new Set<string>()
  const kills = (event: StampedEvent): boolean => {
    const point = killPoints(event)
    if (point === undefined || !KILLED_AT.includes(point) || killed.has(point)) return false
    killed.add(point)
    return true
  }
  let ran = await evenkeel(ground, ['roll', '-f', file, '--yes', '--no-probe'], kills)
  const run = ran.events.find((event) => event.type === 'roll.started')?.run ?? ''
  for (let i = 0; ran.code === null && i < 20; i += 1) ran = await evenkeel(ground, ['roll', 'resume', run], kills)
  client.end()
  assert.equal(ran.code, 0, ran.err)
  assert.deepEqual([...killed].sort(), [...KILLED_AT].sort())
  assert.deepEqual(boots(ground), [2, 1, 1])
  await allIn(ground)
  assert.deepEqual(client.failed, [])
  assert.ok(client.sent > (isNight ? 500 : 200), `${client.sent} requests were sent`)
})

test('a node that was out before the roll is rebooted and stays out', async (t) => {
  const ground = await aGround(t)
  const [first = ''] = INGRESS_NODES
  await writeFile(join(ground.folder, 'wanted', first), '')
  const isOut = async () => JSON.parse(await ground.front.status(first)).state === 'out' || undefined
  await waitFor({ what: 'a node that is out', limitMs: 5_000 }, isOut)
  const file = await rollFile(ground, { nodes: { names: [first] } })
  const { code, err } = await evenkeel(ground, ['roll', '-f', file, '--yes', '--no-probe'])
  assert.equal(code, 0, err)
  assert.deepEqual([boots(ground), await isOut()], [[2, 1, 1], true])
})

const REFUSED: readonly (readonly [what: string, spoil: (ground: Ground) => Promise<void>, says: RegExp])[] = [
  ['is not there', ({ folder }) => rm(join(folder, 'attach')), /there is no program .*attach that may be run here/],
  [
    'fails',
    ({ front }) => front.script('status', 'echo "token expired" >&2; exit 1'),
    /the state of cp-1 at edge is not known: its status command failed \(exit code 1\): token expired/,
  ],
  [
    'prints rubbish',
    ({ front }) => front.script('status', 'echo "<html>"'),
    /its status command printed no JSON object: <html>/,
  ],
]
for (const [what, spoil, says] of REFUSED) {
  test(`with a program that ${what} a plan ends with 2, and nothing is touched`, async (t) => {
    const ground = await aGround(t)
    const file = await rollFile(ground)
    await spoil(ground)
    const { code, err } = await evenkeel(ground, ['roll', '-f', file, '--yes', '--no-probe'])
    assert.equal(code, 2, err)
    assert.match(err, says)
    assert.deepEqual(boots(ground), [1, 1, 1])
    await allIn(ground)
  })
}
