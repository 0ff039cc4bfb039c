import assert from 'node:assert/strict'
import { get } from 'node:https'
import { after, before, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { cleanRoll } from '../scenarios/clean.ts'
import { administrator } from '../support/administrator.ts'
import { requires } from '../support/requires.ts'
import { askSocket } from '../support/roll-bed/ask-socket.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { serversOf } from '../support/roll-ground/servers-of.ts'

const PLANES = ['n1', 'n2', 'n3']
const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']

let opened: RollBed | undefined
let upAfterMs = 0
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

interface MirrorPod {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: { readonly nodeName: string; readonly priorityClassName: string; readonly hostNetwork: boolean }
}

/** What each member of etcd says of itself, on its node. */
async function members(): Promise<
  readonly { readonly node: string; readonly leader: boolean; readonly peers: number }[]
> {
  const ask = 'exec 3<>/dev/tcp/127.0.0.1/2381; printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3; cat <&3'
  return await Promise.all(
    PLANES.map(async (node) => {
      const { stdout } = await bed().bed.exec(node, ['bash', '-c', ask])
      const peers = [...stdout.matchAll(/^etcd_network_active_peers\{.*\} 1$/gm)].length
      return { node, leader: /^etcd_server_has_leader 1$/m.test(stdout), peers }
    }),
  )
}

/** Each member has a leader and hears the other two. */
async function quorumIsWhole(): Promise<void> {
  const expected = JSON.stringify(PLANES.map((node) => ({ node, leader: true, peers: 2 })))
  let seen = ''
  const wait = { what: 'three members of etcd with their peers', limitMs: 30_000, everyMs: 500, explain: () => seen }
  await waitFor(wait, async () => {
    seen = JSON.stringify(await members())
    return seen === expected ? true : undefined
  })
}

/** Asks the API at its one address again and again, each time by a new connection; `stop` says for how long it did not answer. */
class ApiWatch {
  readonly #over = new AbortController()
  readonly #watching: Promise<void>
  #longestMs = 0

  constructor() {
    this.#watching = this.#watch()
    this.#watching.catch(() => undefined)
  }

  async stop(): Promise<number> {
    this.#over.abort()
    await this.#watching
    return Math.round(this.#longestMs)
  }

  async #watch(): Promise<void> {
    let answeredMs = performance.now()
    while (!this.#over.signal.aborted) {
      const askedMs = performance.now()
      if (await answers()) {
        this.#longestMs = Math.max(this.#longestMs, askedMs - answeredMs)
        answeredMs = performance.now()
      }
      await pause(100)
    }
  }
}

function answers(): Promise<boolean> {
  const { server, tls } = administrator(bed().bed.kubeconfig)
  return new Promise((resolve) => {
    const asked = get(`${server}/api/v1/namespaces/default`, { ...tls, agent: false, timeout: 1_000 }, (reply) => {
      reply.on('error', () => resolve(false)).on('end', () => resolve(reply.statusCode === 200))
      reply.resume()
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
  })
}

/**
 * Looks from now on how many API servers the balancer of the API has in service. Each is ready only while the member of etcd on its
 * own node is part of a quorum, so it stands for both. It shares nothing with what the roll goes by.
 */
class PlaneWatch {
  readonly #over = new AbortController()
  readonly #watching: Promise<void>
  #fewest = PLANES.length
  readonly #absent: string[] = []

  constructor() {
    this.#watching = this.#watch()
    this.#watching.catch(() => undefined)
  }

  /** The fewest at once, and the nodes whose server was away, in order. */
  async stop(): Promise<{ readonly fewest: number; readonly absent: readonly string[] }> {
    this.#over.abort()
    await this.#watching
    return { fewest: this.#fewest, absent: this.#absent }
  }

  async #watch(): Promise<void> {
    const balancer = (line: string): Promise<string> => askSocket(bed().bed.apiBalancerSocket, line)
    while (!this.#over.signal.aborted) {
      const servers = await serversOf({ balancer })
      this.#fewest = Math.min(this.#fewest, servers.filter(({ up }) => up).length)
      for (const { name, up } of servers) {
        const node = name.replace(/^.*\//, '')
        if (!up && this.#absent.at(-1) !== node) this.#absent.push(node)
      }
      await pause(200)
    }
  }
}

/** The nodes as the journal has the last roll begin them. */
async function nodesRolled(): Promise<readonly string[]> {
  const report = bed().roll('report')
  await report.ended()
  return report.events.flatMap((event) => (event.type === 'node.started' ? [event.node] : []))
}

async function stackedRoll(t: TestContext) {
  const planes = new PlaneWatch()
  const api = new ApiWatch()
  const rolled = cleanRoll(new RealGround(bed))
  await Promise.allSettled([rolled])
  const { fewest, absent } = await planes.stop()
  const awayMs = await api.stop()
  const judged = await rolled
  const order = await nodesRolled()
  t.diagnostic(`${order.join(', ')}: at least ${fewest} API servers, the API away for ${awayMs} ms at most`)
  assert.deepEqual(order.toSorted(), PLANES)
  assert.deepEqual([fewest, absent], [2, order])
  return judged
}

const CERTIFICATE = '/etc/kubernetes/pki/etcd/server.crt'

async function onNode(node: string, ...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await bed().bed.exec(node, argv)
  assert.equal(code, 0, stderr)
}

/** Without its certificate, etcd of n3 does not start again. n2 alone has no quorum, so n1 has to stay. */
async function memberFails() {
  const boots = new BootCounter(bed().bed)
  const before = await bed().bed.bootId('n1')
  const judge = bed().judge()
  const roll = bed().roll('-f', bed().file({ spec: { nodes: { names: ['n1'] } } }), '--yes')
  await roll.untilStep('drain', 'n1')
  await onNode('n3', 'mv', CERTIFICATE, `${CERTIFICATE}.away`)
  try {
    await onNode('n3', 'pkill', '-KILL', '-f', '^/kube etcd')
    await roll.untilHeld('EtcdQuorum', 'etcd has 3 members, 2 of them Ready, and needs 2: without n1 it has no quorum')
    assert.equal(await bed().bed.bootId('n1'), before)
  } finally {
    await onNode('n3', 'mv', `${CERTIFICATE}.away`, CERTIFICATE)
  }
  const { code, stderr } = await roll.ended()
  assert.equal(code, 0, stderr)
  const { n1, n2, n3 } = await boots.stop()
  assert.deepEqual([n1, n2, n3], [1, 0, 0])
  return await judge.verdict()
}

describeAtNight('a control plane stacked on the nodes', requires('testbed', 'haproxy'), () => {
  before(async () => {
    const startedMs = performance.now()
    opened = await RollBed.open({ stacked: true, fast: true, judgeRate: 200 })
    upAfterMs = performance.now() - startedMs
  })
  after(() => opened?.close())

  atNight('comes up as kubeadm makes one, with three members of etcd', {}, async (t) => {
    t.diagnostic(`up after ${Math.round(upAfterMs / 1_000)} s, with workloads and balancers`)
    const pods = await bed().list('/api/v1/namespaces/kube-system/pods?labelSelector=tier%3Dcontrol-plane')
    const seen = (pods as unknown as readonly MirrorPod[]).map(({ metadata, spec }) => ({
      name: metadata.name,
      component: metadata.labels.component,
      priority: spec.priorityClassName,
      onHost: spec.hostNetwork,
    }))
    const expected = COMPONENTS.flatMap((component) =>
      PLANES.map((node) => ({
        name: `${component}-${node}`,
        component,
        priority: 'system-node-critical',
        onHost: true,
      })),
    )
    assert.deepEqual(seen, expected)
    const planes = await bed().list('/api/v1/nodes?labelSelector=node-role.kubernetes.io/control-plane')
    assert.deepEqual(
      planes.map(({ metadata }) => metadata.name),
      PLANES,
    )
    await quorumIsWhole()
    const { stdout } = await bed().evenkeel('roll', '-f', bed().file(), '--dry-run')
    assert.deepEqual(stdout.match(/^ +\d +n\d +control plane/gm)?.length, PLANES.length, stdout)
    assert.doesNotMatch(stdout, /etcd|API server/, 'the plan has nothing against three members of etcd')
  })

  for (const hard of [false, true])
    atNight(
      `${hard ? 'a power cut' : 'a reboot'} of a node leaves the API at its address, and the member comes back`,
      {},
      async (t) => {
        const api = new ApiWatch()
        try {
          await bed().bed.reboot('n1', { hard })
          await bed().bed.waitReady()
        } finally {
          await api.stop()
        }
        const awayMs = await api.stop()
        t.diagnostic(`the API was away for ${awayMs} ms`)
        await quorumIsWhole()
        assert.ok(awayMs < 10_000, `the API was away for ${awayMs} ms`)
      },
    )

  atNight('a roll reboots one control-plane node at a time, and no request fails', { timeout: 900_000 }, async (t) => {
    await bed().settled()
    const judged = await unlessVoid(t, () => stackedRoll(t))
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
    await quorumIsWhole()
  })

  atNight(
    'law: no node is begun without which etcd would lose its quorum; a real member that fails in a drain holds the reboot',
    { timeout: 600_000 },
    async (t) => {
      await bed().settled()
      const judged = await unlessVoid(t, memberFails)
      assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
      await quorumIsWhole()
    },
  )

  atNight('stop and kill of the one API server are refused', {}, async () => {
    await assert.rejects(bed().bed.api.kill(), /n1, n2, n3 have an API server each: stop a node instead/)
  })
})
