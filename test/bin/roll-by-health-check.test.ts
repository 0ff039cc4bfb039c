import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { ARTICLE_NODES, INGRESS_NODES, WORKERS } from '../../bin/demo/article-nodes.ts'
import { freePort } from '../../bin/demo/free-port.ts'
import { nodesReady, podsReady } from '../../bin/demo/settling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { database, INGRESS_PORT, ingress, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { ended, start } from './evenkeel-process.ts'

const HEALTH_PORT = 10_256
const LOOK_EVERY_MS = 20

interface MarkedNode {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] }
}

interface Place {
  readonly name: string
  readonly address: string
}

/**
 * What kube-proxy serves at port 10256 of each machine: 503 while its Node bears a taint or a label of that key. It goes with its
 * machine, without a word to the clients that are connected, and begins again with it.
 */
class NodeHealth {
  readonly #cluster: EmbeddedCluster
  readonly #key: string
  readonly #servers = new Map<string, Server>()
  readonly #look: NodeJS.Timeout
  #turn: Promise<void> = Promise.resolve()

  constructor(cluster: EmbeddedCluster, places: readonly Place[], key: string) {
    this.#cluster = cluster
    this.#key = key
    this.#look = setInterval(() => {
      this.#turn = this.#turn.then(() => this.#follow(places))
    }, LOOK_EVERY_MS)
  }

  async end(): Promise<void> {
    clearInterval(this.#look)
    await this.#turn
    for (const name of this.#servers.keys()) this.#stop(name)
  }

  isMarked(name: string): boolean {
    const nodes = [...this.#cluster.world.store.all(NODES)] as MarkedNode[]
    const { metadata, spec } = nodes.find((node) => node.metadata.name === name) ?? {}
    return this.#key in (metadata?.labels ?? {}) || spec?.taints?.some(({ key }) => key === this.#key) === true
  }

  async #follow(places: readonly Place[]): Promise<void> {
    for (const { name, address } of places) {
      const isOn = this.#cluster.machines.get(name)?.isOn === true
      if (isOn && !this.#servers.has(name)) await this.#start(name, address)
      if (!isOn && this.#servers.has(name)) this.#stop(name)
    }
  }

  async #start(name: string, host: string): Promise<void> {
    const server = createServer((_request, answer) => answer.writeHead(this.isMarked(name) ? 503 : 200).end('{}'))
    server.listen({ host, port: HEALTH_PORT })
    await once(server, 'listening')
    this.#servers.set(name, server)
  }

  #stop(name: string): void {
    const server = this.#servers.get(name)
    server?.close()
    server?.closeAllConnections()
    this.#servers.delete(name)
  }
}

/** When a HAProxy left each of its servers, and when it sent to it again: by its own statistics, which the roll does not have. */
class LeaveWatch {
  readonly changes: { readonly server: string; readonly isUp: boolean; readonly at: number }[] = []
  readonly #haproxy: LocalHaproxy
  readonly #isUp = new Map<string, boolean>()
  #isOver = false
  readonly #work: Promise<void>

  constructor(haproxy: LocalHaproxy) {
    this.#haproxy = haproxy
    this.#work = this.#follow()
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** The first change of that kind at that time or later. */
  firstAfter(server: string, isUp: boolean, at: number): number | undefined {
    return this.changes.find((change) => change.server === server && change.isUp === isUp && change.at >= at)?.at
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const at = Date.now()
      // Before the answer, so that it was so then at the latest; the next look is 50 ms later.
      const table = await this.#haproxy.command('show stat -1 4 -1')
      for (const row of table.split('\n')) {
        const fields = row.split(',')
        const [server = '', status = ''] = [fields[1], fields[17]]
        if (!/^(UP|DOWN)/.test(status)) continue
        const isUp = status.startsWith('UP')
        if (this.#isUp.get(server) !== isUp && this.#isUp.has(server)) this.changes.push({ server, isUp, at })
        this.#isUp.set(server, isUp)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))
const HERE = '127.0.0.1'
const RATE = 200
const SLACK_MS = 2_000
/** From an answer until the roll goes on: a poll and a pass, on a busy machine. */
const LATE_MS = 1_500

interface Checks {
  readonly interMs: number
  readonly fall: number
  readonly rise: number
}

interface Case {
  readonly mark: { readonly taint: string } | { readonly label: string }
  readonly checks: Checks
  readonly nodes: readonly string[]
}

const TAINT = 'ToBeDeletedByClusterAutoscaler'
const LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers'
const QUICK: Checks = { interMs: 2_000, fall: 3, rise: 2 }
const SLOW: Checks = { interMs: 5_000, fall: 2, rise: 2 }

/** The article's cluster behind a HAProxy of which the roll knows nothing but how it checks. */
async function aGround(t: TestContext, { mark, checks }: Case) {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-checks-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs: 1_000 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: ARTICLE_NODES })
  const places = INGRESS_NODES.map((name, i) => ({ name, address: net.nodeAddress(i + 1) }))
  const health = new NodeHealth(cluster, places, 'taint' in mark ? mark.taint : mark.label)
  t.after(async () => {
    await health.end()
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, 6) || undefined)
  cluster.apply([...whoami({ service: 'improved' }), ...database(WORKERS), ...ingress()])
  await waitFor({ what: 'pods', limitMs: 60_000 }, async () => podsReady(cluster.world) || undefined)
  const port = await freePort(HERE, undefined)
  const { interMs, fall, rise } = checks
  const check = `check port ${HEALTH_PORT} inter ${interMs}ms fall ${fall} rise ${rise}`
  const servers = places.map(({ name, address }) => `  server ${name} ${address}:${INGRESS_PORT} ${check}\n`)
  const haproxy = await LocalHaproxy.start(t, {
    sections: () =>
      `frontend web\n  bind ${HERE}:${port}\n  default_backend web\nbackend web\n  option httpchk GET /healthz\n${servers.join('')}`,
  })
  // Up after a check, and not only as all are at the start.
  await waitFor({ what: 'servers that were checked', limitMs: 30_000 }, async () =>
    (await haproxy.command('show stat -1 4 -1')).match(/,L7OK,200,/g)?.length === places.length ? true : undefined,
  )
  return { cluster, folder, health, watch: new LeaveWatch(haproxy), url: `http://${HERE}:${port}/` }
}

type Ground = Awaited<ReturnType<typeof aGround>>

async function rolled({ cluster, folder, url }: Ground, { mark, checks, nodes }: Case) {
  const spec = {
    nodes: { names: nodes },
    balancers: [
      {
        name: 'edge',
        healthCheck: {
          ...mark,
          check: { url: `http://{address}:${HEALTH_PORT}/healthz` },
          checks: {
            interval: `${checks.interMs}ms`,
            fall: checks.fall,
            rise: checks.rise,
            slack: `${SLACK_MS}ms`,
          },
          nodes: 'node-role.kubernetes.io/control-plane',
          dataPort: INGRESS_PORT,
        },
      },
    ],
    detach: { idleLimit: '2s' },
    reboot: {
      command: [process.execPath, REBOOT, cluster.powerSocket, '{node}', '{bootId}'],
      resendAfter: '20s',
      returnLimit: '60s',
    },
    dns: { check: false },
    settle: { timesInARow: 1 },
    soak: '1s',
    baseline: { duration: '1s' },
    // A busy machine is late, and loses nothing.
    probes: [{ name: 'front', url, rate: RATE, timeout: '20s' }],
  }
  const path = join(folder, 'roll.yaml')
  const file = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'checks' }, spec }
  await writeFile(path, stringify(file))
  const words = ['roll', '-f', path, '--kubeconfig', cluster.kubeconfig, '--yes', '-o', 'jsonl']
  const child = start([...words, '--state-dir', join(folder, 'state')])
  // A roll that stopped guards the node that it leaves out until it is interrupted.
  child.stdout?.on('data', (text) => /"roll.ended".*"stopped"/.test(String(text)) && child.kill('SIGINT'))
  const { code, out, err } = await ended(child)
  assert.equal(code, 0, `${err}\n${out.slice(-4_000)}`)
  return out
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as StampedEvent)
}

async function rollsWithoutALoss(t: TestContext, it: Case): Promise<void> {
  const ground = await aGround(t, it)
  try {
    await losesNothing(ground, it)
  } finally {
    // HAProxy ends with the test, and must not be asked after that.
    await ground.watch.end()
  }
}

async function losesNothing(ground: Ground, it: Case): Promise<void> {
  const events = await rolled(ground, it)
  const end = events.findLast((event) => event.type === 'roll.ended')
  assert.deepEqual([end?.outcome, end?.load?.failed], ['completed', 0])
  assert.ok((end?.load?.sent ?? 0) > RATE * 15, `${end?.load?.sent}`)
  for (const name of it.nodes) {
    assert.equal(ground.cluster.machines.get(name)?.boots, 2)
    assert.equal(ground.health.isMarked(name), false)
    theWaitIsComputed(events, { name, ground, checks: it.checks })
  }
}

interface Waited {
  readonly name: string
  readonly ground: Ground
  readonly checks: Checks
}

/** What the roll waited is the formula's, and HAProxy had left the node by then, or was back with it. */
function theWaitIsComputed(events: readonly StampedEvent[], { name, ground, checks }: Waited): void {
  const { interMs, fall, rise } = checks
  const of = (step: 'detach' | 'attach') => {
    const found = events.find((event) => event.type === 'noticed' && event.node === name && event.step === step)
    assert.ok(found?.type === 'noticed', `${name} ${step}`)
    return { ...found, atMs: Date.parse(found.at) }
  }
  const written = (kind: 'first' | 'last'): number => {
    const all = events.filter(
      (event) => event.type === 'write' && event.node === name && event.action === 'setNodeMark',
    )
    return Date.parse((kind === 'first' ? all.at(0) : all.at(-1))?.at ?? '')
  }
  const [out, back] = [of('detach'), of('attach')]
  const [leaveMs, returnMs] = [interMs + (fall - 1) * interMs + SLACK_MS, interMs + (rise - 1) * interMs + SLACK_MS]
  assert.ok(out.afterMs >= leaveMs && out.afterMs <= leaveMs + LATE_MS, `${out.afterMs}`)
  assert.ok(back.afterMs >= returnMs && back.afterMs <= returnMs + LATE_MS, `${back.afterMs}`)
  const leftAt = ground.watch.firstAfter(name, false, written('first') - 100) ?? Number.POSITIVE_INFINITY
  const backAt = ground.watch.firstAfter(name, true, written('last') - 100) ?? Number.POSITIVE_INFINITY
  assert.ok(leftAt <= out.atMs, `HAProxy left ${leftAt - out.atMs} ms after the wait`)
  assert.ok(backAt <= back.atMs, `HAProxy was back ${backAt - back.atMs} ms after the wait`)
  // It leaves with its last check, and no sooner than the checks before take: the slack is what is left.
  assert.ok(out.atMs - leftAt <= interMs + SLACK_MS + LATE_MS, `${out.atMs - leftAt}`)
}

const [FIRST = ''] = INGRESS_NODES

test(
  'a node behind a HAProxy that no program can ask, which checks every 2 s and leaves after 3 failures, is rebooted without a failed request',
  {
    ...requires('haproxy'),
  },
  (t) => rollsWithoutALoss(t, { mark: { taint: TAINT }, checks: QUICK, nodes: [FIRST] }),
)

for (const [what, it] of [
  ['a taint, and checks every 2 s that fail 3 times', { mark: { taint: TAINT }, checks: QUICK }],
  ['a label, and checks every 5 s that fail twice', { mark: { label: LABEL }, checks: SLOW }],
] as const) {
  atNight(
    `all nodes behind such a HAProxy are rebooted without a failed request, by ${what}`,
    requires('haproxy'),
    (t) => rollsWithoutALoss(t, { ...it, nodes: INGRESS_NODES }),
  )
}
