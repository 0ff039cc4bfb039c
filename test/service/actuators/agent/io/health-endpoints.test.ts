import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, ListenOptions } from 'node:net'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../../../src/ground/machine/system-clock.ts'
import type { Node } from '../../../../../src/ground/model/node.ts'
import { WorldError } from '../../../../../src/ground/model/world-error.ts'
import type { Clock } from '../../../../../src/ground/ports/clock.ts'
import type { Cluster } from '../../../../../src/ground/ports/cluster.ts'
import { HealthEndpoints } from '../../../../../src/service/actuators/agent/io/health-endpoints.ts'
import { waitFor } from '../../../../../testbed/machine/wait-for.ts'
import { ENDPOINT } from '../../../../support/endpoint-world.ts'
import { aNode } from '../../../../support/roll-world.ts'
import { VirtualClock } from '../../../../support/virtual-clock.ts'

const never = new AbortController().signal

const HEALTH = {
  node: 'n1',
  answer: 'drain',
  maintenance: { acknowledged: ['a1'], kept: null },
  dataPort: 'open',
  connections: 4,
  polls: [
    { address: '::ffff:10.0.0.5', sinceAnswer: 3, total: 9, agoMs: 4, answer: 'drain' },
    { address: '10.0.0.6', sinceAnswer: 7, total: 7, agoMs: 9_000, answer: 'up' },
  ],
}

const SAYS_NOTHING = {
  heard: false,
  answer: 'down',
  onlyClosed: false,
  acknowledged: [],
  connections: 'unknown',
  polls: {},
}

const says =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))

async function listens(t: TestContext, agent: RequestListener, at: ListenOptions): Promise<number> {
  const server = createServer(agent).listen(at)
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const N1 = aNode('n1', { internalAddresses: ['127.0.0.1'] })

interface Around {
  readonly list: () => Promise<readonly Node[]>
  readonly clock: Clock
  /** Where agents answer. */
  readonly hosts: readonly string[]
}

/** n1 stands at 127.0.0.1, where that answers. */
async function endpoints(
  t: TestContext,
  agent: RequestListener,
  { list = () => Promise.resolve([N1]), clock = systemClock, hosts = ['127.0.0.1'] }: Partial<Around> = {},
) {
  let agentPort = 0
  for (const host of hosts) agentPort = await listens(t, agent, { host, port: agentPort })
  const spec = {
    name: 'edge',
    instances: ['edge'],
    backends: ['nodes'],
    allowLastServer: false,
    via: { kind: 'agent' as const, ...ENDPOINT, agentPort },
  }
  const cluster = { list } as Pick<Cluster, 'list'>
  return new HealthEndpoints({ spec, cluster, clock })
}

async function read(from: HealthEndpoints) {
  const [server] = (await from.read('edge', never)).servers
  assert.ok(server?.endpoint !== undefined)
  const { at, ...endpoint } = server.endpoint
  assert.ok(at <= systemClock.monoMs())
  return { ...server, endpoint }
}

test('a node is a server that its agent tells of; counts are of its present answer, by the address as it is', async (t) => {
  const { ref, address, port, operational, check, endpoint } = await read(await endpoints(t, says(HEALTH)))
  assert.deepEqual(
    { ref, address, port, operational, check, endpoint },
    {
      ref: { instance: 'edge', backend: 'nodes', server: 'n1' },
      address: '127.0.0.1',
      port: 443,
      operational: 'stopping',
      check: 'passing',
      endpoint: {
        heard: true,
        answer: 'drain',
        onlyClosed: false,
        acknowledged: ['a1'],
        connections: 4,
        polls: { '10.0.0.5': 3 },
      },
    },
  )
})

const HOSTILE: readonly (readonly [string, RequestListener, RegExp])[] = [
  ['another node’s agent', says({ ...HEALTH, node: 'n2' }), /it is the agent of node n2$/],
  ['a page of another program', says('<html>'), /what answers is not an agent$/],
  ['an answer without a word of requests', says({ ...HEALTH, maintenance: null }), /what answers is not an agent$/],
  ['an answer that is none of three', says({ ...HEALTH, answer: 'yes' }), /what answers is not an agent$/],
  ['acknowledgements that are no texts', says({ ...HEALTH, maintenance: { acknowledged: [1] } }), /is not an agent$/],
  ['an error', says(HEALTH, 500), /it answered with status 500$/],
  ['an answer without end', (_, response) => response.writeHead(200).end('x'.repeat(300_000)), /does not end$/],
  ['a connection that is cut', (request) => request.socket.destroy(), /ECONNRESET|hang up/],
  ['silence', () => undefined, /it did not answer in time$/],
  ['half an answer', (_, response) => response.writeHead(200).write('{'), /it did not answer in time$/],
]

for (const [what, agent, text] of HOSTILE)
  test(`${what} is no word of the node’s agent`, async (t) => {
    const { operational, checkText, endpoint } = await read(await endpoints(t, agent))
    assert.deepEqual([operational, endpoint], ['down', SAYS_NOTHING])
    assert.match(checkText, text)
  })

test('polls that make no sense count for nothing, and connections that are no number are not known', async (t) => {
  const polls = [null, 'x', { address: 5, sinceAnswer: 1, answer: 'drain' }, { address: 'a', sinceAnswer: -1 }]
  const { endpoint } = await read(await endpoints(t, says({ ...HEALTH, polls, connections: -1 })))
  assert.deepEqual([endpoint?.polls, endpoint?.connections], [{}, 'unknown'])
})

test('a node counts as taken out unless its closed data port is all that keeps it from serving', async (t) => {
  const closed = { code: 'DataPortClosed', text: 'nothing answers' }
  const stateOf = async (reasons: unknown): Promise<string> =>
    (await read(await endpoints(t, says({ ...HEALTH, answer: 'down', dataPort: 'closed', reasons })))).adminState
  assert.equal(await stateOf([closed]), 'ready')
  for (const reasons of [
    [{ code: 'Cordoned' }, { code: 'DrainLimit' }],
    [closed, { code: 'Overridden' }],
    [],
    'x',
    [null],
  ])
    assert.equal(await stateOf(reasons), 'drain')
})

test('an agent that goes silent takes its last answer back from nobody: what it had taken out stays taken out', async (t) => {
  let answers: string | undefined = 'up'
  const from = await endpoints(t, (request, response) =>
    answers === undefined ? request.socket.destroy() : says({ ...HEALTH, answer: answers })(request, response),
  )
  const reads = async (next: string | undefined) => {
    answers = next
    const { adminState, operational, endpoint } = await read(from)
    return [adminState, operational, endpoint.heard]
  }
  assert.deepEqual(await reads('drain'), ['drain', 'stopping', true])
  assert.deepEqual(await reads(undefined), ['drain', 'down', false])
  assert.deepEqual(await reads('up'), ['ready', 'up', true])
})

test('without an API server the nodes are not known', async (t) => {
  const away = (): Promise<never> =>
    Promise.reject(new WorldError('the API server is away', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }))
  const nobody = await endpoints(t, says(HEALTH), { list: away })
  await assert.rejects(nobody.read('edge', never), /is away/)
})

test('a node that serves is not asked at every poll, one that leaves is', async (t) => {
  let asked = 0
  let answer = 'up'
  const from = await endpoints(t, (_request, response) => {
    asked += 1
    response.end(JSON.stringify({ ...HEALTH, answer }))
  })
  await read(from)
  await read(from)
  assert.equal(asked, 1)
  answer = 'drain'
  const later = await endpoints(t, (_request, response) => {
    asked += 1
    response.end(JSON.stringify({ ...HEALTH, answer }))
  })
  await read(later)
  await read(later)
  assert.equal(asked, 3)
})

/** The nodes that are asked at each poll, and what each of them answers. */
async function ofMany(t: TestContext, count: number, answerOf: (node: string) => string | undefined) {
  const asked: string[] = []
  const nodes = Array.from({ length: count }, (_, i) =>
    aNode(`n${i + 1}`, { internalAddresses: [`127.0.${i >> 7}.${1 + (i & 127)}`] }),
  )
  const nodeAt = new Map(nodes.map(({ name, internalAddresses: [address] }) => [address, name]))
  const agent: RequestListener = ({ socket }, response) => {
    const node = nodeAt.get(socket.localAddress) ?? ''
    const answer = answerOf(node)
    asked.push(node)
    if (answer === undefined) response.writeHead(503).end()
    else response.end(JSON.stringify({ ...HEALTH, node, answer }))
  }
  const hosts = nodes.flatMap(({ internalAddresses }) => internalAddresses)
  const from = await endpoints(t, agent, { list: () => Promise.resolve(nodes), hosts })
  return { from, asked: () => asked.splice(0) }
}

test('an inspection asks every node, however many there are', async (t) => {
  const { from } = await ofMany(t, 150, () => 'up')
  const [backend] = (await from.inspect('edge', never)).backends
  assert.equal(backend?.servers.length, 150)
  assert.deepEqual(
    backend.servers.filter(({ endpoint }) => endpoint?.heard !== true).map(({ checkText }) => checkText),
    [],
  )
})

test('a node that leaves is asked at every poll, however many have no agent', async (t) => {
  const { from, asked } = await ofMany(t, 300, (node) => (node === 'n1' ? 'drain' : undefined))
  await from.inspect('edge', never)
  for (let poll = 0; poll < 5; poll += 1) {
    asked()
    await from.read('edge', never)
    const [first, ...rest] = asked()
    assert.deepEqual([first, rest.length, rest.includes('n1')], ['n1', 63, false])
  }
})

test('many nodes that are down keep none that serves from being asked', async (t) => {
  const { from, asked } = await ofMany(t, 150, (node) => (node === 'n150' ? 'up' : 'down'))
  await from.inspect('edge', never)
  asked()
  await waitFor({ what: 'another question to n150', limitMs: 20_000, everyMs: 1 }, async () => {
    await from.read('edge', never)
    return asked().includes('n150') ? true : undefined
  })
})

test('a node that leaves and misses a question is asked again at the next poll', async (t) => {
  let isLost = false
  const { from, asked } = await ofMany(t, 300, (node) => (node === 'n1' && !isLost ? 'drain' : undefined))
  for (let poll = 0; poll < 30; poll += 1) await from.read('edge', never)
  isLost = true
  await from.read('edge', never)
  for (let poll = 0; poll < 3; poll += 1) {
    asked()
    await from.read('edge', never)
    assert.ok(asked().includes('n1'), `poll ${poll}`)
  }
})

test('a reading is as old as the question', async (t) => {
  const { from } = await ofMany(t, 70, (node) => (node === 'n1' ? 'drain' : 'up'))
  const [, , later] = [await from.inspect('edge', never), await from.read('edge', never), systemClock.monoMs()]
  const { servers } = await from.read('edge', never)
  assert.deepEqual(
    servers.filter(({ endpoint }) => (endpoint?.at ?? 0) >= later).map(({ ref }) => ref.server),
    ['n1'],
  )
})

test('a node that serves anew is asked at every poll for a minute, in a large cluster, too', async (t) => {
  let isBack = false
  const { from, asked } = await ofMany(t, 300, (node) => (node === 'n1' && !isBack ? 'drain' : 'up'))
  await from.inspect('edge', never)
  isBack = true
  await from.read('edge', never)
  asked()
  for (let poll = 0; poll < 3; poll += 1) {
    await from.read('edge', never)
    assert.ok(asked().includes('n1'), `poll ${poll}`)
  }
})

test('what is a bug in the making of a list is no bad luck', async (t) => {
  const clock = new VirtualClock()
  const bug = new TypeError('nodes is not iterable')
  const lists = [() => Promise.resolve([N1]), () => Promise.reject(bug)]
  const from = await endpoints(t, says(HEALTH), { list: () => (lists.shift() ?? assert.fail('listed again'))(), clock })
  await read(from)
  await clock.advance(30_000)
  await read(from)
  await assert.rejects(from.read('edge', never), bug)
})

test('while the API server hangs or is away, the agents of the nodes that are known are heard', async (t) => {
  const clock = new VirtualClock()
  const away = new WorldError('the API server is away', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  const lists = [() => Promise.resolve([N1]), () => Promise.reject(away), () => new Promise<never>(() => undefined)]
  const from = await endpoints(t, says(HEALTH), { list: () => (lists.shift() ?? assert.fail('listed again'))(), clock })
  for (const left of [2, 1, 0]) {
    assert.equal((await read(from)).endpoint.heard, true)
    assert.equal(lists.length, left)
    await clock.advance(30_000)
  }
  assert.equal((await read(from)).endpoint.heard, true, 'the list that hangs is the only one')
})

test('since when an agent serves is known, and one that serves when it is first asked counts from there', async (t) => {
  const clock = new VirtualClock()
  const answers = ['up', 'drain', 'up', 'up', 'no word of an agent', 'up']
  const agent: RequestListener = (request, to) => says({ ...HEALTH, answer: answers.shift() })(request, to)
  const from = await endpoints(t, agent, { clock })
  const upSince: unknown[] = []
  for (; answers.length > 0; upSince.push((await read(from)).endpoint.upSince)) await clock.advance(1_000)
  assert.deepEqual(upSince, [1_000, undefined, 3_000, 3_000, undefined, 6_000])
})
