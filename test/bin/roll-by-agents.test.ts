import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { ARTICLE_NODES, INGRESS_NODES, WORKERS } from '../../bin/demo/article-nodes.ts'
import { freePort } from '../../bin/demo/free-port.ts'
import { nodesReady, podsReady } from '../../bin/demo/settling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { database, INGRESS_PORT, ingress, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { requires } from '../support/requires.ts'
import { shippedProgram } from '../support/shipped-program.ts'
import { ended, start } from './evenkeel-process.ts'

const PROGRAM = shippedProgram('agent')
const LOOK_EVERY_MS = 20

const AGENT_PORT = 8_080
const STATUS_PORT = 8_081

interface AgentNode {
  readonly name: string
  readonly address: string
}

interface AgentsParts {
  readonly cluster: EmbeddedCluster
  readonly folder: string
  readonly nodes: readonly AgentNode[]
  readonly dataPort: number
}

/**
 * A real agent for each machine of an embedded cluster: it goes with its machine, and begins again with the next boot,
 * without what it had in memory.
 */
class AgentsOfCluster {
  readonly #parts: AgentsParts
  readonly #agents = new Map<string, ChildProcess>()
  readonly #look: NodeJS.Timeout
  #turn: Promise<void> = Promise.resolve()

  constructor(parts: AgentsParts) {
    this.#parts = parts
    this.#look = setInterval(() => {
      this.#turn = this.#turn.then(() => this.#follow())
    }, LOOK_EVERY_MS)
  }

  async end(): Promise<void> {
    clearInterval(this.#look)
    await this.#turn
    await Promise.all([...this.#agents.keys()].map((name) => this.kill(name)))
  }

  async kill(name: string): Promise<void> {
    const agent = this.#agents.get(name)
    this.#agents.delete(name)
    if (agent === undefined || agent.exitCode !== null || agent.signalCode !== null) return
    const ended = once(agent, 'exit')
    agent.kill('SIGKILL')
    await ended
  }

  async #follow(): Promise<void> {
    for (const node of this.#parts.nodes) {
      const isOn = this.#parts.cluster.machines.get(node.name)?.isOn === true
      if (isOn && !this.#agents.has(node.name)) this.#start(node)
      if (!isOn && this.#agents.has(node.name)) {
        await this.kill(node.name)
        await rm(this.#folder(node, 'run'), { recursive: true, force: true })
      }
    }
  }

  #start(node: AgentNode): void {
    const { cluster, dataPort } = this.#parts
    const at = ['--address', node.address, '--port', String(AGENT_PORT), '--status-port', String(STATUS_PORT)]
    const files = ['--memory-dir', this.#folder(node, 'run'), '--keep-dir', this.#folder(node, 'lib')]
    const asked = ['--data-port', `${node.address}:${dataPort}`, '--data-every', '200ms', '--up-delay', '0']
    const args = [PROGRAM, '--node', node.name, '--kubeconfig', cluster.kubeconfig, ...at, ...files, ...asked]
    const quiet = ['--disable-warning=ExperimentalWarning', ...args]
    this.#agents.set(node.name, spawn(process.execPath, quiet, { stdio: 'ignore' }))
  }

  #folder(node: AgentNode, name: string): string {
    return join(this.#parts.folder, node.name, name)
  }
}

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))
const HERE = '127.0.0.1'
const INTER_MS = 500
const IDLE_LIMIT_MS = 2_000

interface Ground {
  readonly cluster: EmbeddedCluster
  readonly folder: string
  readonly front: (checks: Checks) => Promise<Front>
}

interface Front {
  readonly url: string
  readonly haproxy: LocalHaproxy
}

interface Checks {
  readonly option: string
  readonly server: string
}

/** Of the agents. */
const BY_AGENT: Checks = { option: 'option httpchk GET /nodecheck', server: `port ${AGENT_PORT}` }
/** Of the ingress itself: HAProxy is told by its socket which nodes are out. */
const BY_SOCKET: Checks = { option: 'option tcp-check', server: '' }

/** The article's cluster with agents on the three ingress nodes. */
async function aGround(t: TestContext): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-agents-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs: 1_000 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: ARTICLE_NODES })
  const nodes = INGRESS_NODES.map((name, i) => ({ name, address: net.nodeAddress(i + 1) }))
  const agents = new AgentsOfCluster({ cluster, folder, nodes, dataPort: INGRESS_PORT })
  t.after(async () => {
    await agents.end()
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, 6) || undefined)
  cluster.apply([...whoami({ service: 'improved' }), ...database(WORKERS), ...ingress()])
  await waitFor({ what: 'pods', limitMs: 60_000 }, async () => podsReady(cluster.world) || undefined)
  return { cluster, folder, front: (checks) => aFront(t, nodes, checks) }
}

/** A HAProxy before the nodes; resolves when it has all of them. */
async function aFront(t: TestContext, nodes: readonly AgentNode[], { option, server }: Checks): Promise<Front> {
  const port = await freePort(HERE, undefined)
  const servers = nodes.map(
    ({ name, address }) =>
      `  server ${name} ${address}:${INGRESS_PORT} check ${server} inter ${INTER_MS}ms fall 3 rise 2\n`,
  )
  const haproxy = await LocalHaproxy.start(t, {
    sections: () =>
      `frontend web\n  bind ${HERE}:${port}\n  default_backend web\nbackend web\n  ${option}\n${servers.join('')}`,
  })
  await waitFor({ what: 'servers that are up', limitMs: 30_000 }, async () =>
    (await haproxy.command('show stat -1 4 -1')).match(/,UP,/g)?.length === nodes.length ? true : undefined,
  )
  return { url: `http://${HERE}:${port}/`, haproxy }
}

const rollFile = ({ cluster }: Ground, balancers: readonly object[], urls: readonly string[]): string =>
  stringify({
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'Roll',
    metadata: { name: 'agents' },
    spec: {
      nodes: { names: INGRESS_NODES },
      balancers,
      detach: { idleLimit: `${IDLE_LIMIT_MS}ms` },
      reboot: {
        command: [process.execPath, REBOOT, cluster.powerSocket, '{node}', '{bootId}'],
        resendAfter: '20s',
        returnLimit: '60s',
      },
      soak: '1s',
      baseline: { duration: '1s' },
      probes: urls.map((url, i) => ({ name: `front-${i}`, url, rate: 30 })),
    },
  })

const EDGE = {
  name: 'edge',
  healthEndpoint: {
    agentPort: STATUS_PORT,
    dataPort: INGRESS_PORT,
    checks: { interval: `${INTER_MS}ms`, fall: 3, rise: 2 },
    checkers: [{ address: HERE, count: 1 }],
  },
}

async function rolled(ground: Ground, file: string): Promise<readonly StampedEvent[]> {
  const path = join(ground.folder, 'roll.yaml')
  await writeFile(path, file)
  const words = ['roll', '-f', path, '--kubeconfig', ground.cluster.kubeconfig, '--yes', '-o', 'jsonl']
  const child = start([...words, '--state-dir', join(ground.folder, 'state')])
  // A roll that stopped guards the node that it leaves out until it is interrupted.
  child.stdout?.on('data', (text) => /"roll.ended".*"stopped"/.test(String(text)) && child.kill('SIGINT'))
  const { code, out, err } = await ended(child)
  assert.equal(code, 0, `${err}\n${out.slice(-4_000)}`)
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StampedEvent)
}

const annotated = ({ world }: EmbeddedCluster): readonly string[] =>
  ([...world.store.all(NODES)] as { metadata: { name: string; annotations?: Record<string, string> } }[])
    .filter(({ metadata }) => MAINTENANCE_ANNOTATION in (metadata.annotations ?? {}))
    .map(({ metadata }) => metadata.name)

// Each on a net of its own; most of their time is waited out.
describe('a load balancer that asks an agent on each node', { concurrency: 2 }, () => {
  test('nodes behind a HAProxy with nothing but health checks are rebooted without a failed request', {
    ...requires('haproxy'),
  }, async (t) => {
    const ground = await aGround(t)
    const { url } = await ground.front(BY_AGENT)
    const events = await rolled(ground, rollFile(ground, [EDGE], [url]))
    const end = events.findLast((event) => event.type === 'roll.ended')
    assert.equal(end?.outcome, 'completed')
    assert.equal(end?.load?.failed, 0)
    assert.ok((end?.load?.sent ?? 0) > 500)
    const noticed = events.flatMap((event) =>
      event.type === 'noticed' ? [`${event.node} ${event.step} ${event.by}`] : [],
    )
    assert.deepEqual(
      noticed,
      INGRESS_NODES.flatMap((name) => [`${name} detach checks`, `${name} attach checks`]),
    )
    const idle = events.flatMap((event) => (event.type === 'idle' ? [event] : []))
    assert.deepEqual(
      idle.map(({ node }) => node),
      INGRESS_NODES,
    )
    const isTrue = (each: (typeof idle)[number]): boolean =>
      each.by === 'connections' ? each.left === 0 : each.left !== 0 && each.afterMs >= IDLE_LIMIT_MS
    assert.deepEqual(
      idle.filter((each) => !isTrue(each)),
      [],
    )
    assert.deepEqual(annotated(ground.cluster), [])
    assert.equal(
      INGRESS_NODES.every((name) => ground.cluster.machines.get(name)?.boots === 2),
      true,
    )
  })

  test('nodes behind a HAProxy with commands by its socket and one with checks alone leave both, and are back with both', {
    ...requires('haproxy'),
  }, async (t) => {
    const ground = await aGround(t)
    const [bySocket, checking] = [await ground.front(BY_SOCKET), await ground.front(BY_AGENT)]
    const inner = { name: 'inner', instances: [{ name: 'lb-1', socket: bySocket.haproxy.socket }], backends: ['web'] }
    const events = await rolled(ground, rollFile(ground, [inner, EDGE], [bySocket.url, checking.url]))
    const end = events.findLast((event) => event.type === 'roll.ended')
    assert.equal(end?.outcome, 'completed')
    assert.equal(end?.load?.failed, 0)
    for (const name of INGRESS_NODES) {
      const acts = events.flatMap((event) => (event.type === 'write' && event.node === name ? [event.action] : []))
      const at = (kind: string): number => acts.indexOf(kind)
      assert.ok(at('setServer') >= 0 && at('setServer') < at('writeIntent'), acts.join())
      assert.ok(at('askAgent') >= 0 && at('askAgent') < at('writeIntent'), acts.join())
    }
    assert.deepEqual(annotated(ground.cluster), [])
    const states = await bySocket.haproxy.command('show servers state web')
    const rows = states.split('\n').filter((row) => INGRESS_NODES.some((name) => row.split(' ')[3] === name))
    assert.deepEqual(
      rows.map((row) => row.split(' ').slice(5, 7).join()),
      INGRESS_NODES.map(() => '2,0'),
    )
    assert.equal(
      INGRESS_NODES.every((name) => ground.cluster.machines.get(name)?.boots === 2),
      true,
    )
  })
})
